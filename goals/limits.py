"""Limits as people give them: `cost_usd=1`, `{"tokens": 5000}`; refused by name, never guessed."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from django.conf import settings

from goals.exceptions import InvalidInput
from goals.states import Resource

LARGEST = Decimal(10) ** 13
WHOLE = frozenset({Resource.MODEL_CALLS, Resource.TOKENS})
ALLOWED = ", ".join(Resource.values)


def defaults() -> dict[Resource, Decimal | None]:
    """Return the site's limits for a goal that states none."""
    return {
        Resource.MODEL_CALLS: Decimal(settings.GOALSITE_MAX_MODEL_CALLS),
        Resource.TOKENS: None,
        Resource.COST_USD: settings.GOALSITE_MAX_COST_USD,
        Resource.SECONDS: Decimal(settings.GOALSITE_MAX_SECONDS),
    }


def parse(given: Any) -> dict[Resource, Decimal | None]:
    """Return limits by resource; None means no limit. Raises InvalidInput with every error."""
    if not isinstance(given, Mapping):
        raise InvalidInput({"limits": f"must be an object of {ALLOWED}"})
    limits: dict[Resource, Decimal | None] = {}
    errors: dict[str, str] = {}
    for name, value in given.items():
        if name not in Resource.values:
            errors[f"limits.{str(name)[:60]}"] = f"unknown; allowed are {ALLOWED}"
            continue
        try:
            limits[Resource(name)] = amount(Resource(name), value)
        except ValueError as error:
            errors[f"limits.{name}"] = str(error)
    if errors:
        raise InvalidInput(errors)
    return limits


def amount(resource: Resource, value: Any) -> Decimal | None:
    """Return one limit; raises ValueError that says what is allowed."""
    if value is None:
        return None
    allowed = "a whole number above 0" if resource in WHOLE else "a number above 0"
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise ValueError(f"must be {allowed}, or null for no limit")
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        raise ValueError(f"{str(value)[:40]!r} is no number; must be {allowed}, or null for no limit") from None
    if not number.is_finite() or number <= 0:
        raise ValueError(f"must be {allowed}, not {str(value)[:40]}")
    if number >= LARGEST or number != round(number, 0 if resource in WHOLE else 6):
        raise ValueError(f"must be {allowed}, below {LARGEST:f}, with at most 6 decimals; not {str(value)[:40]}")
    return number
