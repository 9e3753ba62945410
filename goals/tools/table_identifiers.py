"""Columns that look like identifiers, in which a value stands more than once."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from goals.tools.table_filling import Column
from goals.tools.table_values import is_missing
from goals.tools.text import shorten

# Of so many values, this share of different ones makes a column look like an identifier.
ENOUGH_VALUES, ENOUGH_DIFFERENT = 5, 0.8
_NAMED_VALUES, _NAMED_LINES = 5, 6
_NAMES = re.compile(r"(?:^|_)(?:id|key|code|no|nr|number|nummer|uuid|guid|sku|ref|reference)(?:$|_)")


def repeats_of(column: Column, position: int, cells: Sequence[str], at: Sequence[int]) -> dict[str, Any] | None:
    """The values of an identifier that repeat: {column, count, values: [{value, lines}]}; None for any other column."""
    if not (_NAMES.search(column.name) or position == 0) or not _may_identify(column, cells):
        return None
    places: dict[str, list[int]] = defaultdict(list)
    for cell, line in zip(cells, at, strict=True):
        if not is_missing(cell):
            places[cell].append(line)
    filled = sum(map(len, places.values()))
    twice = {value: found for value, found in places.items() if len(found) > 1}
    if not twice or filled < ENOUGH_VALUES or len(places) < filled * ENOUGH_DIFFERENT:
        return None
    shown = [
        {"value": shorten(v, 60), "lines": found[:_NAMED_LINES]} for v, found in list(twice.items())[:_NAMED_VALUES]
    ]
    return {"column": column.name, "count": len(twice), "values": shown}


def _may_identify(column: Column, cells: Sequence[str]) -> bool:
    """Integers, or codes: text without a blank, and with a digit unless the column's name speaks for it."""
    if column.kind.name == "integer":
        return True
    if not column.kind.is_text:
        return False
    named = bool(_NAMES.search(column.name))
    filled = [cell for cell in cells if not is_missing(cell)]
    return not any(" " in cell for cell in filled) and (named or all(any(map(str.isdigit, cell)) for cell in filled))
