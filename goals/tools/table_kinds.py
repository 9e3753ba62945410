"""The type of a column by what most of its values are; a value that does not fit it is told with the reason."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from goals.tools.table_values import (
    CODE_LIKE,
    DATE_LIKE,
    DAY_FIRST,
    DIGITS,
    MARKS,
    MONTH_FIRST,
    NUMBER_LIKE,
    boolean,
    comma_number,
    dates,
    is_missing,
    point_number,
    whole,
)

# A column of which this share looks like numbers, or like dates, is one of numbers or dates.
MOSTLY = 0.8
# And at least this share must be read without doubt, else all of it stays text.
READABLE = 0.5
LONGEST_NUMBER = 15
_KNOWN_FORM = re.compile(r"\d{4}-\d\d-\d\d|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}([./])\d{1,2}\1\d{4}")


@dataclass(frozen=True)
class Misfit:
    """Why a value is not of its column's type."""

    problem: str


@dataclass(frozen=True)
class Otherwise:
    """A value that was read, but in another format than the rest of its column."""

    value: Any
    form: str


@dataclass(frozen=True)
class Kind:
    """A type of column: its name, how it reads a cell (a value, Misfit or Otherwise), and what is to be said of it."""

    name: str
    read: Callable[[str], Any]
    note: str = ""
    is_text: bool = False

    def empties(self, cell: str) -> bool:
        """Whether this cell means that there is no value; in a text column a word or name never does."""
        return not cell or (cell.lower() in MARKS if self.is_text else is_missing(cell))


def _same(text: str) -> str:
    return text


def _text(note: str = "", name: str = "text") -> Kind:
    return Kind(name, _same, note, is_text=True)


NOTHING = Kind("text", _same)


def kind_of(values: Sequence[str]) -> Kind:
    """The type of a column. One of nothing but spellings of missing values is empty."""
    filled = Counter(value for value in values if not is_missing(value))
    if not filled:
        return NOTHING
    if all(boolean(value) is not None for value in filled):
        return Kind("boolean", boolean)
    return _dates(filled) or _numbers(filled) or _text()


def _share(filled: Counter[str], fits: Callable[[str], Any]) -> float:
    return sum(count for value, count in filled.items() if fits(value)) / filled.total()


def _is_number_like(value: str) -> bool:
    return bool(NUMBER_LIKE.fullmatch(value)) and not DATE_LIKE.fullmatch(value)


def _numbers(filled: Counter[str]) -> Kind | None:
    if _share(filled, _is_number_like) < MOSTLY:
        return None
    alike = [value for value in filled if _is_number_like(value)]
    if _are_codes(filled, alike):
        return _text("has numbers with leading zeros or a plus sign, so it is taken as codes and stays text")
    point, comma = (_share(filled, lambda v, read=read: read(v) is not None) for read in (point_number, comma_number))
    if max(point, comma) < READABLE:
        return None
    if all(whole(value) is not None for value in alike if point_number(value) is not None) and point >= comma:
        return Kind("integer", _or_misfit(whole))
    if comma > point:
        return Kind("number (decimal comma)", _or_misfit(comma_number))
    return Kind("number", _or_misfit(point_number), _grouping(alike))


def _are_codes(filled: Counter[str], alike: Sequence[str]) -> bool:
    """Digits alone, of which some begin with 0 or +: many of them, or few where all have the same length."""
    if not all(map(DIGITS.fullmatch, alike)) or not any(map(CODE_LIKE.fullmatch, alike)):
        return False
    return len(set(map(len, alike))) == 1 or _share(filled, CODE_LIKE.fullmatch) > 1 - MOSTLY


def _grouping(alike: Sequence[str]) -> str:
    """What is unclear where every number can be read with a decimal comma too, to another value."""
    if any(comma_number(value) is None for value in alike):
        return ""
    unclear = [value for value in alike if "," in value]
    if not unclear:
        return ""
    return f"has commas that group thousands, or decimal commas: {unclear[0]} was read as {point_number(unclear[0]):g}"


def _or_misfit(read: Callable[[str], Any]) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        value = read(text)
        return Misfit(_why_no_number(text)) if value is None else value

    return convert


def _why_no_number(text: str) -> str:
    if not _is_number_like(text):
        return "is not a number"
    if CODE_LIKE.fullmatch(text.lstrip("-")):
        return "has leading zeros"
    if point_number(text) is not None or comma_number(text) is not None:
        return "is a number in another format than the others"
    if "e" in text.lower() or sum(map(str.isdigit, text)) > LONGEST_NUMBER:
        return "is larger or more precise than a number can be kept"
    return "has points and commas that make no number"


def _dates(filled: Counter[str]) -> Kind | None:
    if _share(filled, DATE_LIKE.fullmatch) < MOSTLY:
        return None
    read = _reader([dates(value) for value in filled])
    forms: Counter[str] = Counter()
    for value, count in filled.items():
        found = read(value)
        forms["" if isinstance(found, Misfit) else found.form] += count
    fitting = filled.total() - forms.pop("", 0)
    if fitting < READABLE * filled.total():
        unclear = next(filter(_is_unclear, filled), None)
        note = f"has dates of which day and month are unclear ({unclear}), so it stays text"
        return _text(note, "text (dates of unclear order)") if unclear else None
    usual = max(forms, key=lambda form: forms[form])

    def convert(text: str) -> Any:
        found = read(text)
        return found.value if isinstance(found, Otherwise) and found.form == usual else found

    return Kind(usual, convert)


def _reader(readings: Sequence[dict[str, str]]) -> Callable[[str], Misfit | Otherwise]:
    """How dates are read, when the column shows which of day and month comes first, and when it does not."""
    shown = {form for found in readings if len(found) == 1 for form in found} & {DAY_FIRST, MONTH_FIRST}
    order = next(iter(shown)) if len(shown) == 1 else None

    def read(text: str) -> Misfit | Otherwise:
        found = dates(text)
        if not found:
            return Misfit(_why_no_date(text))
        form = order if order in found else next(iter(found))
        if form != order and _is_unclear(text):
            return Misfit("may be day/month or month/day")
        return Otherwise(found[form], form)

    return read


def _is_unclear(text: str) -> bool:
    return len(set(dates(text).values())) > 1


def _why_no_date(text: str) -> str:
    if not DATE_LIKE.fullmatch(text):
        return "is not a date"
    return "is not in the calendar" if _KNOWN_FORM.match(text) else "is a date in a format that is not known"
