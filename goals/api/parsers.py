"""Reading a body of JSON: bounded, and refused by the name of the field that holds what cannot be stored."""

import json
import math
from typing import Any

from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.parsers import BaseParser

from goals.api.problems import Problem
from goals.validation import UNSTORABLE

MAX_BYTES = 2 * 1024 * 1024
MAX_DEPTH = 50
MAX_DIGITS = 300


class BoundedJSONParser(BaseParser):
    """UTF-8 JSON of at most MAX_BYTES, without NUL, lone surrogates, NaN, Infinity or deep nesting."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        """Return the value; raises ParseError (no JSON), ValidationError (by field) or 413."""
        raw = stream.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise Problem(413, "too_large", f"a body may have at most {MAX_BYTES:,} bytes")
        value = _loads(raw)
        errors: dict[str, str] = {}
        _check(value, (), errors)
        if errors:
            raise ValidationError(errors)
        return value


def _loads(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode("utf-8"), parse_int=_integer)
    except UnicodeDecodeError as error:
        raise ParseError(f"the body is not UTF-8: {error.reason} at byte {error.start}") from error
    except RecursionError as error:
        raise ParseError(f"the body is nested more than {MAX_DEPTH} deep") from error
    except ValueError as error:
        raise ParseError(f"the body is not JSON: {error}") from error


def _integer(digits: str) -> int | float:
    """An integer, or Infinity (which is refused by name) for one that no column holds."""
    return int(digits) if len(digits) <= MAX_DIGITS else math.inf


def _check(value: Any, path: tuple[str, ...], errors: dict[str, str]) -> None:
    """Collect what is wrong, by dotted path; the first few are enough."""
    if len(errors) >= 20:
        return
    if isinstance(value, str):
        if UNSTORABLE.search(value):
            errors[_name(path)] = "holds a NUL character or a lone surrogate, which cannot be stored; take it out"
    elif isinstance(value, float) and not math.isfinite(value):
        errors[_name(path)] = "must be a JSON number; NaN, Infinity and numbers of such a size are none"
    elif isinstance(value, dict | list) and len(path) >= MAX_DEPTH:
        errors[_name(path[:1])] = f"is nested more than {MAX_DEPTH} deep"
    elif isinstance(value, dict):
        for key, inner in value.items():
            if UNSTORABLE.search(key):
                errors[_name(path)] = "has a key that holds a NUL character or a lone surrogate; take it out"
            else:
                _check(inner, (*path, key[:60]), errors)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _check(inner, (*path, str(number)), errors)


def _name(path: tuple[str, ...]) -> str:
    return ".".join(path) or "body"
