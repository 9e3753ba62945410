"""Marks that turn the direction of text: they make names and code look like others."""

import re

TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")


def unturned(text: str) -> str:
    """Return the text without them."""
    return TURNING.sub("", text)
