"""Readers of the query string: what is not allowed is refused by the parameter's name."""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

LARGEST = 2**31 - 1
FIELDS = OpenApiParameter("fields", str, description="names of fields, separated by commas: only these are shown")
YES, NO = ("true", "1", "yes"), ("false", "0", "no")


def whole_number(request: Request, name: str, *, default: int, least: int = 0, most: int = LARGEST) -> int:
    """Return a whole number of the query string; raises ValidationError that says what is allowed."""
    given = request.query_params.get(name)
    if given is None or given == "":
        return default
    return read_number(name, given, least=least, most=most)


def read_number(name: str, given: str, *, least: int = 0, most: int = LARGEST) -> int:
    """Return a whole number; raises ValidationError by its name."""
    if not (given.isascii() and given.isdigit() and len(given) < 20 and least <= int(given) <= most):
        raise ValidationError({name: f"must be a whole number from {least} to {most}"})
    return int(given)


def yes_or_no(request: Request, name: str) -> bool:
    """Return a yes or no of the query string, no when it is not there; raises ValidationError."""
    given = request.query_params.get(name, "false").lower()
    if given not in YES + NO:
        raise ValidationError({name: f"must be one of {', '.join(YES + NO)}"})
    return given in YES


def only(request: Request, known: Iterable[str]) -> None:
    """Raise ValidationError for a parameter that nobody reads, so that a misspelt filter is told and not ignored."""
    allowed = list(dict.fromkeys(known))
    unknown = [name for name in request.query_params if name not in allowed]
    if unknown:
        told = f"unknown parameter; allowed are {', '.join(allowed)}"
        raise ValidationError({str(name)[:60]: told for name in unknown[:20]})


def wanted(request: Request, known: Iterable[str]) -> frozenset[str] | None:
    """Return the names of `?fields=id,status`, None when all are wanted; raises ValidationError for unknown ones."""
    given = request.query_params.get("fields")
    if given is None:
        return None
    allowed = list(known)
    names = given.split(",")
    unknown = [name for name in names if name not in allowed]
    if unknown:
        named = ", ".join(repr(name[:60]) for name in unknown[:5])
        raise ValidationError({"fields": f"{named}: no such field; allowed are {', '.join(allowed)}"})
    return frozenset(names)


def thin(row: dict[str, Any], names: frozenset[str] | None) -> dict[str, Any]:
    """Return the fields of a row that are wanted."""
    return row if names is None else {name: value for name, value in row.items() if name in names}
