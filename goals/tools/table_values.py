"""What one cell of a table can mean: a number, a date, yes or no, or that a value is missing."""

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

# Spellings of a missing value. Those of WORDS can also be a name or a word, and are one where the others are text.
WORDS = frozenset({"na", "nan", "null", "none", "nil"})
MARKS = frozenset({"n/a", "#n/a", "-", "--", "?"})

NUMBER_LIKE = re.compile(r"[+-]?(?:\d[\d.,]*|[.,]\d+)(?:[eE][+-]?\d+)?")
DATE_LIKE = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}(?:[T ]\d{1,2}:\d{2}[\d:.,+Z -]{0,30})?")
CODE_LIKE = re.compile(r"0\d+|\+\d{7,}")
DIGITS = re.compile(r"\+?\d+")
_WHOLE = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})")
_NUMBER = re.compile(r"[+-]?(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,5})(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?")
_COMMA_NUMBER = re.compile(r"[+-]?(?:\d{1,15}|\d{1,3}(?:\.\d{3}){1,5})(?:,\d{1,15})?")
_LEADING_ZERO = re.compile(r"[+-]?0\d")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")
_BOOLEAN = {"true": True, "yes": True, "y": True, "false": False, "no": False, "n": False}
DATE, MOMENT = "date", "date and time"
DAY_FIRST, MONTH_FIRST = "date (day/month/year)", "date (month/day/year)"


def is_missing(cell: str) -> bool:
    """Whether this is blank or a usual spelling of a missing value."""
    return not cell or cell.lower() in WORDS or cell.lower() in MARKS


def reads_as_value(cell: str) -> bool:
    """Whether this is a number, a date or a yes or no, so that it is hardly the name of a column."""
    numbers = (whole(cell), point_number(cell), comma_number(cell), boolean(cell))
    return any(value is not None for value in numbers) or bool(dates(cell))


def boolean(text: str) -> bool | None:
    """True, false, or None for anything else."""
    return _BOOLEAN.get(text.lower())


def whole(text: str) -> int | None:
    """An integer without leading zeros."""
    return int(text) if _WHOLE.fullmatch(text) else None


def point_number(text: str) -> float | None:
    """A number with a decimal point; commas may group its thousands."""
    if _NUMBER.fullmatch(text) and not _LEADING_ZERO.match(text):
        return float(text.replace(",", ""))
    return None


def comma_number(text: str) -> float | None:
    """A number with a decimal comma; points may group its thousands."""
    if _COMMA_NUMBER.fullmatch(text) and not _LEADING_ZERO.match(text):
        return float(text.replace(".", "").replace(",", "."))
    return None


def dates(text: str) -> dict[str, str]:
    """The date by the name of each format in which it can be read, as ISO; two of them where the order is unclear."""
    return {form: read for form, convert in _DATES.items() if (read := convert(text)) is not None}


def _iso(text: str) -> str | None:
    return _quiet(lambda: dt.date.fromisoformat(text).isoformat()) if _ISO_DATE.fullmatch(text) else None


def _moment(text: str) -> str | None:
    return _quiet(lambda: dt.datetime.fromisoformat(text).isoformat()) if _MOMENT.match(text) else None


def _by(form: str, separator: str) -> Callable[[str], str | None]:
    def convert(text: str) -> str | None:
        if separator not in text or not DATE_LIKE.fullmatch(text):
            return None
        return _quiet(lambda: dt.datetime.strptime(text, form).date().isoformat())

    return convert


def _quiet(convert: Callable[[], Any]) -> Any:
    try:
        return convert()
    except ValueError:
        return None


_DATES: dict[str, Callable[[str], str | None]] = {
    DATE: _iso,
    MOMENT: _moment,
    "date (day.month.year)": _by("%d.%m.%Y", "."),
    "date (year/month/day)": _by("%Y/%m/%d", "/"),
    DAY_FIRST: _by("%d/%m/%Y", "/"),
    MONTH_FIRST: _by("%m/%d/%Y", "/"),
}
