"""A goal's budget as it is shown and changed: what is used, what is reserved for calls in flight, what is left."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from goals.budget import Line, figure
from goals.chat.amounts import amount
from goals.effects.ledger import lines_of
from goals.exceptions import InvalidInput
from goals.models import Goal
from goals.states import Resource

NEARLY = Decimal("0.8")
NAMES = {
    Resource.MODEL_CALLS: "Model calls",
    Resource.TOKENS: "Tokens",
    Resource.COST_USD: "Cost",
    Resource.SECONDS: "Time at work",
}
NO_LIMIT = {"none", "no limit", "unlimited"}
THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)")
UNITS = {"": 1, "s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600}


@dataclass(frozen=True)
class Meter:
    """One resource in words; `used_share` and `reserved_share` are parts of 100."""

    resource: str
    name: str
    used: str
    reserved: str
    left: str
    limit: str
    used_share: float
    reserved_share: float
    nearly: bool
    raise_by: str

    @property
    def both_share(self) -> float:
        return min(100.0, self.used_share + self.reserved_share)


def meters(goal: Goal) -> list[Meter]:
    """Return a meter for each resource."""
    return [_meter(line) for line in lines_of(goal)]


def _meter(line: Line) -> Meter:
    taken = line.used + line.reserved
    limit = line.limit
    return Meter(
        resource=line.resource.value,
        name=NAMES[line.resource],
        used=amount(line.resource, line.used),
        reserved=amount(line.resource, line.reserved) if line.reserved else "",
        left="" if limit is None else amount(line.resource, limit - taken),
        limit="" if limit is None else amount(line.resource, limit),
        used_share=_share(line.used, limit),
        reserved_share=_share(line.reserved, limit),
        nearly=limit is not None and taken >= limit * NEARLY,
        raise_by="" if limit is None else f"+{_said(line.resource, limit)}",
    )


def _share(part: Decimal, limit: Decimal | None) -> float:
    return 0.0 if not limit else round(float(min(part / limit, Decimal(1)) * 100), 2)


def _said(resource: Resource, value: Decimal) -> str:
    """Return an amount as `limit_said` reads it."""
    if resource != Resource.SECONDS:
        return figure(value)
    for unit in ("h", "min"):
        if value % UNITS[unit] == 0:
            return f"{figure(value / UNITS[unit])} {unit}"
    return f"{figure(value)} s"


def limit_said(resource: str, text: Any) -> str | None:
    """Return a limit as the services take it: `10`, `+5`, None for none; "$5", "1,000" and "1 h 30 min" are read."""
    word = str(text or "").strip().lower().replace("$", "").strip()
    if word in NO_LIMIT:
        return None
    sign, number = ("+", word[1:].strip()) if word.startswith("+") else ("", word)
    if THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    if resource == Resource.SECONDS:
        number = _seconds(number)
    return sign + number


def _seconds(text: str) -> str:
    parts = LENGTH.findall(text)
    if not parts or LENGTH.sub("", text).strip():
        return text
    units = [UNITS.get(unit.rstrip("s") if len(unit) > 1 else unit) for _, unit in parts]
    if any(unit is None for unit in units):
        raise InvalidInput({"limit": f"{text[:40]!r} is no length of time; write 90 s, 10 min or 1 h 30 min"})
    return figure(sum((Decimal(n) * u for (n, _), u in zip(parts, units, strict=True)), Decimal(0)))  # type: ignore[operator]
