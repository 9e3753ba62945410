"""PURE: text that Postgres can hold."""

import re

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """The text with a space for each NUL and unpaired surrogate."""
    return _UNSTORABLE.sub(" ", text)
