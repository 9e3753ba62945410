"""Amounts, lengths of time and long texts as a person reads them."""

from dataclasses import dataclass
from decimal import Decimal

from goals.states import Resource


@dataclass(frozen=True)
class Folded:
    """A text with its beginning; `rest` is empty where that is all of it."""

    beginning: str
    rest: str


def folded(text: str, most: int) -> Folded | None:
    """Return a text whose end can be folded away; None for none."""
    if len(text) <= most:
        return Folded(text, "") if text else None
    beginning = text[:most].rsplit(" ", 1)[0]
    return Folded(beginning, text[len(beginning) :])


def amount(resource: str, value: Decimal) -> str:
    """Return an amount of a resource as a person reads it."""
    if resource == Resource.COST_USD:
        return f"${value:,.2f}" if value >= 1 or not value else f"${value:.4f}"
    if resource == Resource.SECONDS:
        return duration(float(value))
    return f"{int(value):,}"


def duration(seconds: float) -> str:
    """Return a length of time: 0.4 s, 12 s, 3 min 5 s, 2 h 10 min."""
    if seconds < 10:
        return f"{seconds:.1f} s".replace(".0 s", " s")
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
