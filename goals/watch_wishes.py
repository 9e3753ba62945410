"""What a person wishes of a watch, checked at the door and refused by name."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from goals import limits, validation
from goals.exceptions import InvalidInput
from goals.states import Resource, Trigger

LONGEST = 31 * 24 * 3600
RULE = ("interval", "trigger", "repeat", "deadline", "stall_after", "follow_up")
FOLLOW_UP = ("objective", "context", "constraints", "sop", "verifier", "plan_approval")


def parse(given: Any, owner: Any) -> dict[str, Any]:
    """Return the columns of a watch that are wished for; raises InvalidInput with the name of each wrong field."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidInput({"watch": f"must be an object of {', '.join(RULE)}"})
    errors, columns = {}, {}
    for name, value in given.items():
        try:
            columns[name] = _field(name, value, owner)
        except InvalidInput as error:
            errors |= error.errors
    if errors:
        raise InvalidInput(errors)
    return columns


def _field(name: Any, value: Any, owner: Any) -> Any:
    place = f"watch.{str(name)[:60]}"
    match name:
        case "interval":
            return _seconds(place, value)
        case "stall_after":
            return None if value is None else _seconds(place, value)
        case "trigger":
            return _one_of(place, value, Trigger.values)
        case "repeat":
            return _yes_or_no(place, value)
        case "deadline":
            return None if value is None else _time(place, value)
        case "follow_up":
            return None if value is None else _follow_up(place, value, owner)
    raise InvalidInput({place: f"is unknown; allowed are {', '.join(RULE)}"})


def _seconds(place: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LONGEST:
        raise InvalidInput({place: f"must be a whole number of seconds from 1 to {LONGEST}"})
    return value


def _one_of(place: str, value: Any, allowed: list[str]) -> str:
    if value not in allowed:
        raise InvalidInput({place: f"must be one of {', '.join(allowed)}"})
    return str(value)


def _yes_or_no(place: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput({place: "must be true or false"})
    return value


def _time(place: str, value: Any) -> datetime:
    try:
        found = value if isinstance(value, datetime) else parse_datetime(value) if isinstance(value, str) else None
    except ValueError:
        found = None
    if found is None or timezone.is_naive(found):
        raise InvalidInput({place: "must be a time with its zone, such as 2026-12-01T08:00:00Z"})
    if found <= timezone.now():
        raise InvalidInput({place: "has passed already"})
    return found


def _follow_up(place: str, value: Any, owner: Any) -> dict[str, Any]:
    """Return what `services.submit` takes; it is checked now, so that it is not refused when the watch fires."""
    if not isinstance(value, Mapping):
        raise InvalidInput({place: f"must be an object of {', '.join(FOLLOW_UP)}"})
    unknown = [name for name in value if name not in FOLLOW_UP]
    if unknown:
        raise InvalidInput({f"{place}.{str(unknown[0])[:60]}": f"is unknown; allowed are {', '.join(FOLLOW_UP)}"})
    try:
        validation.collect(
            lambda: validation.text("objective", value.get("objective"), most=validation.MAX_OBJECTIVE, required=True),
            lambda: validation.text("context", value.get("context")),
            lambda: validation.text("constraints", value.get("constraints")),
            lambda: validation.sop(value.get("sop") or ""),
            lambda: validation.verifier(value.get("verifier"), owner),
            lambda: validation.plan_approval(value.get("plan_approval", False), None),
        )
    except InvalidInput as error:
        raise InvalidInput({f"{place}.{name}": text for name, text in error.errors.items()}) from None
    return dict(validation.json_value(place, dict(value)))


def budget() -> dict[Resource, Decimal | None]:
    """Return the default limits of a goal that only watches: its looks may take their time for ever."""
    return {**limits.defaults(), Resource.SECONDS: None}
