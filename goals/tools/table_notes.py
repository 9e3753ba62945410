"""What a person should know of a cleaned table, in sentences: what was changed, and what is worth a look."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from goals.tools.table_columns import repeated
from goals.tools.table_filling import Column
from goals.tools.text import plural

_NAMED, _COLUMNS = 10, 20


def few(items: Iterable[str], limit: int = _NAMED) -> str:
    """The first of many, and how many more there are."""
    named = list(items)
    more = f" and {len(named) - limit:,} more" if len(named) > limit else ""
    return ", ".join(named[:limit]) + more


def lines(numbers: Sequence[int]) -> str:
    """`line 3`, `lines 3, 7`."""
    return f"{'line' if len(numbers) == 1 else 'lines'} {few(map(str, numbers))}"


def of_header(given: Sequence[str], names: Sequence[str]) -> list[str]:
    """How the names of the columns were changed."""
    notes = [
        f"The header names {len(new)} columns {old}; they are called {', '.join(new)}."
        for old, new in repeated(given, names)
    ]
    renamed = [f"{old} -> {new}" for old, new in zip(given, names, strict=False) if old != new]
    if renamed:
        notes.append(f"Columns renamed: {few(renamed, 50)}.")
    if len(given) > len(names):
        notes.append(f"The header names more columns than the rows have: {few(given[len(names) :])}.")
    return notes


def of_values(columns: Sequence[Column]) -> list[str]:
    """Cells that became empty, were kept although they may mean that, or were read in another format."""
    notes = [f"Column {c.name} {c.kind.note}." for c in columns if c.kind.note]
    notes += [f"Column {c.name} was read as {c.kind.name}." for c in columns if "(" in c.kind.name and not c.kind.note]
    emptied = [f"{c.name}: {_spellings(c.emptied)}" for c in columns if c.emptied]
    if emptied:
        cells = sum(c.emptied.total() for c in columns)
        says = "it says" if cells == 1 else "they say"
        notes.append(f"{plural(cells, 'cell')} became empty, since {says} that there is no value: {_each(emptied)}.")
    kept = [f"{c.name}: {_spellings(c.kept)}" for c in columns if c.kept]
    if kept:
        notes.append(f"Kept as text, although it may say that there is no value: {_each(kept)}.")
    for c in columns:
        notes += map(_read_otherwise, c.otherwise.values())
    misfits = sum(c.misfit_count for c in columns)
    if misfits:
        stay = "value does not fit its column and stays" if misfits == 1 else "values do not fit their column and stay"
        notes.append(f"{misfits} {stay} the text in the file: see above.")
    return notes


def _each(told: Sequence[str]) -> str:
    more = f"; and {len(told) - _COLUMNS} more columns" if len(told) > _COLUMNS else ""
    return "; ".join(told[:_COLUMNS]) + more


def _spellings(counts: Counter[str]) -> str:
    return few(f"{spelling} ({count})" for spelling, count in counts.most_common())


def _read_otherwise(told: dict[str, Any]) -> str:
    what = f"{plural(told['count'], 'value')} of column {told['column']}"
    was = "was" if told["count"] == 1 else "were"
    return f"{what} {was} read as {told['format']}: {told['value']} in line {told['line']} is {told['became']}."


def of_rows(
    trimmed: Sequence[int], stray: int, duplicates: Sequence[dict[str, int]], blank: Sequence[int]
) -> list[str]:
    """Cells that were trimmed (by the line of each), rows with stray quotation marks, and rows that were dropped."""
    notes = []
    if trimmed:
        where = lines(list(dict.fromkeys(trimmed)))
        notes.append(f"Spaces around {plural(len(trimmed), 'value')} were taken away: {where}.")
    if stray:
        notes.append(f"{plural(stray, 'row')} {'has' if stray == 1 else 'have'} stray quotation marks.")
    if duplicates:
        was = "was" if len(duplicates) == 1 else "were"
        where = few(f"line {d['line']} repeats line {d['repeats']}" for d in duplicates)
        notes.append(f"{plural(len(duplicates), 'duplicate row')} {was} dropped: {where}.")
    if blank:
        was = "was" if len(blank) == 1 else "were"
        notes.append(f"{plural(len(blank), 'blank row')} {was} dropped: {lines(blank)}.")
    return notes


def of_identifiers(repeats: Sequence[dict[str, Any]]) -> list[str]:
    """Columns that look like identifiers and are not unique."""
    return [
        f"Column {r['column']} looks like an identifier, but {plural(r['count'], 'value')} "
        f"{'stands' if r['count'] == 1 else 'stand'} in more than one row: "
        + "; ".join(f"{v['value']} ({lines(v['lines'])})" for v in r["values"])
        + ("; and more." if r["count"] > len(r["values"]) else ".")
        for r in repeats
    ]
