"""What models and tools say, made storable: JSON without NUL characters, unpaired surrogates, NaN or Infinity."""

import math
from typing import Any

from artifacts.exceptions import UncleanValue

MAX_DEPTH = 128
MAX_INTEGER_BITS = 4096


def clean(value: Any) -> Any:
    """A copy of the JSON value that Postgres can store.

    NUL characters and unpaired surrogates are removed from texts and keys. Raises UncleanValue, naming the place, for
    what is not JSON: NaN, Infinity, other types, keys that are no text or become the same, nesting beyond MAX_DEPTH.
    (Postgres keeps numbers as decimals: 1e20 comes back as the integer of that value.)
    """
    return _clean(value, ())


def clean_text(text: str) -> str:
    """The text without NUL characters and unpaired surrogates; a pair of surrogates becomes its character."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return text.replace("\0", "") if "\0" in text else text


def _clean(value: Any, path: tuple[str | int, ...]) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _clean_number(value, path)
    if isinstance(value, dict | list | tuple):
        if len(path) >= MAX_DEPTH:
            raise UncleanValue(_name(path[:8]) + "…", f"nested more than {MAX_DEPTH} deep")
        if isinstance(value, dict):
            return _clean_object(value, path)
        return [_clean(item, (*path, index)) for index, item in enumerate(value)]
    raise UncleanValue(_name(path), f"{type(value).__name__} is no JSON value")


def _clean_number(number: float, path: tuple[str | int, ...]) -> float:
    if isinstance(number, float) and not math.isfinite(number):
        raise UncleanValue(_name(path), f"{number} is no JSON number")
    if isinstance(number, int) and number.bit_length() > MAX_INTEGER_BITS:
        raise UncleanValue(_name(path), f"an integer of more than {MAX_INTEGER_BITS} bits")
    return number


def _clean_object(item: dict, path: tuple[str | int, ...]) -> dict[str, Any]:
    cleaned: dict[str, Any] = {}
    for key, value in item.items():
        if not isinstance(key, str):
            raise UncleanValue(_name(path), f"the key {str(key)[:40]} is no text")
        name = clean_text(key)
        if name in cleaned:
            raise UncleanValue(_name(path), f"two keys become {name[:40]!r} once they are cleaned")
        cleaned[name] = _clean(value, (*path, name))
    return cleaned


def _name(path: tuple[str | int, ...]) -> str:
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step[:40]}" for step in path)
