"""A table on its way from rows to records, with a report in which every row and every odd value is accounted for."""

from dataclasses import dataclass, field
from typing import Any

from goals.tools import table_notes
from goals.tools.errors import ToolInputError
from goals.tools.table_columns import is_header, names_of
from goals.tools.table_filling import Column
from goals.tools.table_identifiers import repeats_of
from goals.tools.table_kinds import kind_of
from goals.tools.table_reading import Row, read_rows, sniff, usual_width
from goals.tools.text import lines_of, shorten

DELIMITER_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", ":": "colon"}
_LISTED, _PREAMBLE = 200, 20


@dataclass
class Cleaning:
    """Rows sorted into kept, blank, duplicate and bad; their sum is what was read."""

    delimiter: str
    header: Row | None
    names: list[str]
    kept: list[Row] = field(default_factory=list)
    bad: list[dict[str, Any]] = field(default_factory=list)
    bad_count: int = 0
    blank: list[int] = field(default_factory=list)
    duplicates: list[dict[str, int]] = field(default_factory=list)
    stray_quotes: int = 0
    truncated: bool = False
    columns: list[Column] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)

    def take(self, row: Row) -> None:
        """Sort one row in."""
        width = len(self.names)
        cells = row.cells
        if len(cells) > width and not any(cells[width:]):
            cells = cells[:width]
        if not any(cells):
            self.blank.append(row.line)
        elif row.problem or len(cells) != width:
            self.refuse(row, row.problem or f"has {len(row.cells)} cells, not {width}")
        else:
            self.stray_quotes += row.stray_quotes
            self.kept.append(Row(row.line, cells, trimmed=row.trimmed))

    def refuse(self, row: Row, problem: str) -> None:
        """Put a row among the bad ones, with its content."""
        self.bad_count += 1
        if len(self.bad) < _LISTED:
            shown = shorten(self.delimiter.join(row.cells), 500)
            self.bad.append({"line": row.line, "problem": problem, "row": shown})

    def drop_duplicates(self) -> None:
        """Keep the first of rows that are the same in every cell."""
        first: dict[tuple[str, ...], int] = {}
        kept = []
        for row in self.kept:
            if row.cells in first:
                self.duplicates.append({"line": row.line, "repeats": first[row.cells]})
            else:
                first[row.cells] = row.line
                kept.append(row)
        self.kept = kept

    def convert(self) -> None:
        """Find each column's type and make the records."""
        given = self.header.cells if self.header else ()
        for position, name in enumerate(self.names):
            kind = kind_of([row.cells[position] for row in self.kept])
            self.columns.append(Column(name, given[position] if position < len(given) else "", kind))
        for row in self.kept:
            cells = zip(self.columns, row.cells, strict=True)
            self.records.append({column.name: column.take(row.line, cell) for column, cell in cells})

    def report(self) -> dict[str, Any]:
        """The validation report; rows_read = rows_kept + blank_rows + duplicate_rows + bad_row_count."""
        lost = len(self.blank) + len(self.duplicates) + self.bad_count
        invalid = sorted((m for column in self.columns for m in column.misfits), key=lambda m: m["line"])
        repeats = self._repeats()
        return {
            "delimiter": DELIMITER_NAMES[self.delimiter],
            "header": f"line {self.header.line}" if self.header else "none",
            "rows_read": len(self.kept) + lost,
            "rows_kept": len(self.kept),
            "blank_rows": len(self.blank),
            "blank_lines": self.blank[:_LISTED],
            "duplicate_rows": len(self.duplicates),
            "duplicates": self.duplicates[:_LISTED],
            "bad_rows": self.bad,
            "bad_row_count": self.bad_count,
            "invalid_values": invalid[:_LISTED],
            "invalid_value_count": sum(column.misfit_count for column in self.columns),
            "emptied_values": {c.name: dict(c.emptied.most_common(_LISTED)) for c in self.columns if c.emptied},
            "kept_values": {c.name: dict(c.kept.most_common(_LISTED)) for c in self.columns if c.kept},
            "repeated_identifiers": repeats,
            "notes": self._notes(),
            "remarks": table_notes.of_identifiers(repeats),
        }

    def _repeats(self) -> list[dict[str, Any]]:
        at = [row.line for row in self.kept]
        found = (
            repeats_of(column, position, [row.cells[position] for row in self.kept], at)
            for position, column in enumerate(self.columns)
        )
        return [repeats for repeats in found if repeats is not None]

    def _notes(self) -> list[str]:
        trimmed = [row.line for row in self.kept for _ in range(row.trimmed)]
        notes = table_notes.of_header(self.header.cells if self.header else (), self.names)
        notes += table_notes.of_values(self.columns)
        return notes + table_notes.of_rows(trimmed, self.stray_quotes, self.duplicates, self.blank)


def clean(text: str, *, path: str, delimiter: str, header: str, max_rows: int, drop_duplicates: bool) -> Cleaning:
    """The table in `text`, cleaned. The lines before the header are bad rows, so that none is lost."""
    lines = lines_of(text)
    declared = lines[0].strip().lower() if lines else ""
    if declared.startswith("sep=") and declared[4:5] in DELIMITER_NAMES:
        lines[0] = "\n"
    used = sniff(lines) if delimiter == "auto" else delimiter
    if declared.startswith("sep=") and delimiter == "auto":
        used = declared[4:5] if declared[4:5] in DELIMITER_NAMES else used
    rows = list(read_rows(lines, used))
    width = usual_width(rows)
    if not width:
        raise ToolInputError(f"{path!r} has no rows.")
    first = next(n for n, row in enumerate(rows) if any(row.cells) and len(row.cells) >= width and not row.problem)
    first = first if first <= _PREAMBLE else 0
    named = header == "first_row" or (header == "auto" and is_header(rows[first].cells))
    names = rows[first] if named else None
    cleaning = Cleaning(used, names, names_of(names.cells if names else (), width))
    for row in rows[:first]:
        if any(row.cells):
            cleaning.refuse(row, "stands before the table")
    body = rows[first + 1 if named else first :]
    cleaning.truncated = len(body) > max_rows
    for row in body[:max_rows]:
        cleaning.take(row)
    if drop_duplicates:
        cleaning.drop_duplicates()
    cleaning.convert()
    return cleaning
