"""PURE: text that Postgres can hold."""

import re
from typing import Any

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """The text with a space for each NUL and unpaired surrogate."""
    return _UNSTORABLE.sub(" ", text)


def is_storable(value: Any) -> bool:
    """Whether no text of this JSON value, keys included, holds a NUL or an unpaired surrogate."""
    if isinstance(value, str):
        return not _UNSTORABLE.search(value)
    if isinstance(value, dict):
        return all(is_storable(name) and is_storable(item) for name, item in value.items())
    if isinstance(value, list):
        return all(map(is_storable, value))
    return True
