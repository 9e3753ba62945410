"""How large a value is, in a reader's words (pure)."""

from typing import Any


def shape_of(value: Any) -> str:
    """ "empty", "12 chars", "number", "boolean", "array[3]", "object{2 keys}" or "5 bytes"."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, bytes):
        return _counted(len(value), "byte")
    if isinstance(value, str):
        return _counted(len(value), "char")
    if isinstance(value, dict):
        return f"object{{{_counted(len(value), 'key')}}}"
    if isinstance(value, list):
        return f"array[{len(value)}]"
    return "number"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
