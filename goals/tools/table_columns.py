"""Names and types of a table's columns, and their values converted; what does not fit is told and kept as text."""

import datetime as dt
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

EMPTY = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "-", "--", "?"})
_WHOLE = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})")
_NUMBER = re.compile(r"[+-]?(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,5})(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?")
_COMMA_NUMBER = re.compile(r"[+-]?(?:\d{1,15}|\d{1,3}(?:\.\d{3}){1,5}),\d{1,15}")
_DATE_LIKE = re.compile(r"\d{1,4}([./])\d{1,2}\1\d{1,4}")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_LEADING_ZERO = re.compile(r"[+-]?0\d")
_BOOLEAN = {"true": True, "yes": True, "y": True, "false": False, "no": False, "n": False}
_ENOUGH, _MISFITS = 10, 0.1


def names_of(header: Sequence[str], width: int) -> list[str]:
    """Lower-case names of letters, digits and underscores, each once; a column without a name is `column_N`."""
    names: list[str] = []
    for position in range(width):
        given = header[position] if position < len(header) else ""
        text = unicodedata.normalize("NFKC", given).strip().lower()
        name = re.sub(r"\W+", "_", text).strip("_")[:60] or f"column_{position + 1}"
        if name[0].isdigit():
            name = f"column_{name}"
        names.append(_unused(name, names))
    return names


def _unused(name: str, taken: Sequence[str]) -> str:
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name}_{number}", number + 1
    return candidate


def is_header(cells: Sequence[str]) -> bool:
    """Whether a first row looks like names: no numbers, no dates, hardly a blank, nothing twice."""
    filled = [cell for cell in cells if cell.lower() not in EMPTY]
    if len(filled) < max(1, len(cells) / 2) or len({c.lower() for c in filled}) < len(filled):
        return False
    return not any(kind.convert(cell) is not None for kind in KINDS for cell in filled)


@dataclass(frozen=True)
class Kind:
    """A type of value: its name, and a conversion that gives None for what does not fit."""

    name: str
    convert: Callable[[str], Any]


def _whole(text: str) -> int | None:
    return int(text) if _WHOLE.fullmatch(text) else None


def _number(text: str) -> float | None:
    if _NUMBER.fullmatch(text) and not _LEADING_ZERO.match(text):
        return float(text.replace(",", ""))
    return None


def _comma_number(text: str) -> float | None:
    if _COMMA_NUMBER.fullmatch(text) and not _LEADING_ZERO.match(text):
        return float(text.replace(".", "").replace(",", "."))
    return None


def _by(form: str) -> Callable[[str], str | None]:
    def convert(text: str) -> str | None:
        if not _DATE_LIKE.fullmatch(text):
            return None
        try:
            return dt.datetime.strptime(text, form).date().isoformat()
        except ValueError:
            return None

    return convert


def _date(text: str) -> str | None:
    if not _ISO_DATE.fullmatch(text):
        return None
    try:
        return dt.date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def _moment(text: str) -> str | None:
    if not re.match(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}", text):
        return None
    try:
        return dt.datetime.fromisoformat(text).isoformat()
    except ValueError:
        return None


def _boolean(text: str) -> bool | None:
    return _BOOLEAN.get(text.lower())


# In order of preference. Both readings of 03/04/2026 fit such a column, and then it stays text: see `kind_of`.
KINDS = (
    Kind("boolean", _boolean),
    Kind("integer", _whole),
    Kind("number", _number),
    Kind("number (decimal comma)", _comma_number),
    Kind("date", _date),
    Kind("date and time", _moment),
    Kind("date (day.month.year)", _by("%d.%m.%Y")),
    Kind("date (year/month/day)", _by("%Y/%m/%d")),
    Kind("date (day/month/year)", _by("%d/%m/%Y")),
    Kind("date (month/day/year)", _by("%m/%d/%Y")),
)
TEXT = Kind("text", lambda text: text)
AMBIGUOUS = Kind("text (dates of unclear order)", lambda text: text)
_DAY_FIRST, _MONTH_FIRST = KINDS[-2], KINDS[-1]


def kind_of(values: Sequence[str]) -> Kind:
    """The first kind that fits every value, or nine of ten where there are enough of them; else text."""
    filled = [value for value in values if value.lower() not in EMPTY]
    if not filled:
        return TEXT
    allowed = int(len(filled) * _MISFITS) if len(filled) >= _ENOUGH else 0
    for permitted in sorted({0, allowed}):
        fitting = [kind for kind in KINDS if _misfits(kind, filled, permitted) <= permitted]
        if _DAY_FIRST in fitting and _MONTH_FIRST in fitting:
            return AMBIGUOUS
        if fitting:
            return fitting[0]
    return TEXT


def _misfits(kind: Kind, values: Sequence[str], enough: int) -> int:
    count = 0
    for value in values:
        count += kind.convert(value) is None
        if count > enough:
            break
    return count
