"""PURE: text and JSON values that Postgres can hold."""

import math
import re
from collections.abc import Iterator
from typing import Any

MAX_DEPTH = 50
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """The text with a space for each NUL and unpaired surrogate."""
    return _UNSTORABLE.sub(" ", text)


def unstorable(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths in this JSON value of texts that hold a NUL or an unpaired surrogate (a bad key, as its object), of
    numbers that are none, and of what is nested too deep, by its beginning."""
    if len(path) > MAX_DEPTH:
        yield path[:2]
        return
    if isinstance(value, str) and _UNSTORABLE.search(value):
        yield path
    if isinstance(value, float) and not math.isfinite(value):
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        if isinstance(name, str) and _UNSTORABLE.search(name):
            yield path
        yield from unstorable(item, (*path, name))
