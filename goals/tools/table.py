"""`clean_table`: a CSV file of unknown making as JSON records, with a report of everything that was odd."""

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from goals.states import EffectClass, Risk
from goals.tools.base import OutputSpec, Reach, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import ToolInputError
from goals.tools.files_write import encode
from goals.tools.table_columns import EMPTY, TEXT, Kind, is_header, kind_of, names_of
from goals.tools.table_reading import Row, read_rows, sniff, usual_width
from goals.tools.text import Decoded, decode, is_binary, lines_of, shorten

MAX_BYTES = 32 * 1024 * 1024
_SHOWN_RECORDS, _SHOWN_BAD, _PREAMBLE = 1000, 200, 20
_DELIMITER_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", ":": "colon"}


class CleanTableInput(ToolInput):
    path: str = Field(min_length=1, max_length=4096, description="CSV or TSV file, relative to the workspace")
    output: str = Field("", max_length=4096, description="JSON file to write the list of records to; empty: none")
    header: Literal["auto", "first_row", "none"] = Field("auto", description="Whether the first row names the columns")
    delimiter: Literal["auto", ",", ";", "\t", "|", ":"] = "auto"
    drop_duplicates: bool = True
    max_rows: int = Field(100_000, ge=1, le=1_000_000)


class CleanTable(Tool):
    name = "clean_table"
    description = (
        "Clean a CSV file into JSON records. Gives {path, output, columns: [{name, original, type, filled, empty, "
        "examples}], records (the first 1,000), record_count, row_count, report: {encoding, delimiter, header, "
        "rows_read, rows_kept, blank_rows, duplicate_rows, bad_rows, bad_row_count, invalid_values, notes}, truncated}."
    )
    Input = CleanTableInput
    far_side = False
    outputs = (OutputSpec("clean_table", "data", "Records of the table with the validation report"),)
    effect_class = EffectClass.IDEMPOTENT
    risk = Risk.MODERATE
    reach = Reach.WRITE

    def run(self, input: CleanTableInput, context: ToolContext) -> ToolResult:
        """Read, clean, and write all records when an output is named. Every row is kept or told of."""
        decoded, cut = _read(input, context)
        cleaning = clean(decoded.text, input)
        report = cleaning.report() | {"encoding": decoded.encoding}
        if not decoded.exact:
            report["notes"].insert(
                0, f"The encoding is a guess: the file is not UTF-8, it was read as {decoded.encoding}."
            )
        files: tuple[str, ...] = ()
        if input.output:
            files = (context.workspace.write_bytes(input.output, encode(_as_json(cleaning.records))),)
        value = {
            "path": input.path,
            "output": input.output or None,
            "columns": cleaning.columns(),
            "records": cleaning.records[:_SHOWN_RECORDS],
            "record_count": len(cleaning.records),
            "row_count": report["rows_read"],
            "report": report,
            "truncated": cut or cleaning.truncated,
        }
        said = f"Kept {len(cleaning.records)} of {report['rows_read']} rows of {input.path}."
        return ToolResult(value, said, untrusted=True, files=files)


def _as_json(records: list[dict[str, Any]]) -> str:
    """A JSON list with one record a line."""
    lines = (json.dumps(record, ensure_ascii=False) for record in records)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _read(input: CleanTableInput, context: ToolContext) -> tuple[Decoded, bool]:
    if input.output and context.workspace.place(input.output).parts == context.workspace.place(input.path).parts:
        raise ToolInputError("clean_table: output must not be the file that is read.")
    data = context.workspace.read_bytes(input.path, limit=MAX_BYTES)
    if is_binary(data):
        raise ToolInputError(f"{input.path!r} is binary, not a CSV file.")
    return decode(data), context.workspace.size(input.path) > len(data)


@dataclass
class Cleaning:
    """A table on its way: rows sorted into kept, blank, duplicate and bad; their sum is what was read."""

    delimiter: str
    header: Row | None
    names: list[str]
    kept: list[Row] = field(default_factory=list)
    bad: list[dict[str, Any]] = field(default_factory=list)
    bad_count: int = 0
    blank: int = 0
    duplicates: list[int] = field(default_factory=list)
    stray_quotes: int = 0
    truncated: bool = False
    kinds: list[Kind] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    invalid: list[dict[str, Any]] = field(default_factory=list)
    invalid_count: int = 0

    def take(self, row: Row) -> None:
        """Sort one row in."""
        width = len(self.names)
        cells = row.cells
        if len(cells) > width and not any(cells[width:]):
            cells = cells[:width]
        if not any(cells):
            self.blank += 1
        elif row.problem or len(cells) != width:
            self.refuse(row, row.problem or f"has {len(row.cells)} cells, not {width}")
        else:
            self.stray_quotes += row.stray_quotes
            self.kept.append(Row(row.line, cells))

    def refuse(self, row: Row, problem: str) -> None:
        """Put a row among the bad ones, with its content."""
        self.bad_count += 1
        if len(self.bad) < _SHOWN_BAD:
            shown = shorten(self.delimiter.join(row.cells), 500)
            self.bad.append({"line": row.line, "problem": problem, "row": shown})

    def drop_duplicates(self) -> None:
        """Keep the first of rows that are the same in every cell."""
        seen: set[tuple[str, ...]] = set()
        kept = []
        for row in self.kept:
            if row.cells in seen:
                self.duplicates.append(row.line)
            else:
                seen.add(row.cells)
                kept.append(row)
        self.kept = kept

    def convert(self) -> None:
        """Find each column's type and make the records."""
        self.kinds = [kind_of([row.cells[i] for row in self.kept]) for i in range(len(self.names))]
        self.records = [self._record(row) for row in self.kept]

    def _record(self, row: Row) -> dict[str, Any]:
        record: dict[str, Any] = {}
        for name, kind, cell in zip(self.names, self.kinds, row.cells, strict=True):
            if cell.lower() in EMPTY:
                record[name] = None
                continue
            value = kind.convert(cell)
            if value is None:
                self.invalid_count += 1
                if len(self.invalid) < _SHOWN_BAD:
                    self.invalid.append({"line": row.line, "column": name, "value": shorten(cell, 200)})
            record[name] = cell if value is None else value
        return record

    def columns(self) -> list[dict[str, Any]]:
        """What is known of each column."""
        given = self.header.cells if self.header else ()
        described = []
        for position, (name, kind) in enumerate(zip(self.names, self.kinds, strict=True)):
            filled = [r[name] for r in self.records if r[name] is not None]
            examples = list(dict.fromkeys(shorten(str(value), 60) for value in filled[:50]))[:3]
            original = given[position] if position < len(given) else ""
            counts = {"filled": len(filled), "empty": len(self.records) - len(filled)}
            described.append({"name": name, "original": original, "type": kind.name, **counts, "examples": examples})
        return described

    def report(self) -> dict[str, Any]:
        """The validation report; rows_read = rows_kept + blank_rows + duplicate_rows + bad_row_count."""
        lost = self.blank + len(self.duplicates) + self.bad_count
        return {
            "delimiter": _DELIMITER_NAMES[self.delimiter],
            "header": f"line {self.header.line}" if self.header else "none",
            "rows_read": len(self.kept) + lost,
            "rows_kept": len(self.kept),
            "blank_rows": self.blank,
            "duplicate_rows": len(self.duplicates),
            "duplicate_lines": self.duplicates[:_SHOWN_BAD],
            "bad_rows": self.bad,
            "bad_row_count": self.bad_count,
            "invalid_values": self.invalid,
            "invalid_value_count": self.invalid_count,
            "notes": self._notes(),
        }

    def _notes(self) -> list[str]:
        notes = []
        given = self.header.cells if self.header else ()
        renamed = [f"{old} -> {new}" for old, new in zip(given, self.names, strict=False) if old != new]
        if renamed:
            notes.append(f"Columns renamed: {', '.join(renamed)}.")
        if len(given) > len(self.names):
            notes.append(f"The header names more columns than the rows have: {', '.join(given[len(self.names) :])}.")
        for name, kind in zip(self.names, self.kinds, strict=True):
            if kind is not TEXT and "(" in kind.name:
                notes.append(f"Column {name} was read as {kind.name}.")
        if self.stray_quotes:
            notes.append(f"{self.stray_quotes} rows have stray quotation marks.")
        if self.duplicates:
            notes.append(f"{len(self.duplicates)} duplicate rows were dropped.")
        if self.invalid_count:
            places = ", ".join(f"line {i['line']} {i['column']} {i['value']!r}" for i in self.invalid[:10])
            notes.append(f"{self.invalid_count} values do not fit their column's type and stay text: {places}.")
        return notes


def clean(text: str, input: CleanTableInput) -> Cleaning:
    """The table in `text`, cleaned. The lines before the header are bad rows, so that none is lost."""
    lines = lines_of(text)
    declared = lines[0].strip().lower() if lines else ""
    if declared.startswith("sep=") and declared[4:5] in _DELIMITER_NAMES:
        lines[0] = "\n"
    delimiter = sniff(lines) if input.delimiter == "auto" else input.delimiter
    if declared.startswith("sep=") and input.delimiter == "auto":
        delimiter = declared[4:5] if declared[4:5] in _DELIMITER_NAMES else delimiter
    rows = list(read_rows(lines, delimiter))
    width = usual_width(rows)
    if not width:
        raise ToolInputError(f"{input.path!r} has no rows.")
    first = next(n for n, row in enumerate(rows) if any(row.cells) and len(row.cells) >= width and not row.problem)
    first = first if first <= _PREAMBLE else 0
    named = input.header == "first_row" or (input.header == "auto" and is_header(rows[first].cells))
    header = rows[first] if named else None
    cleaning = Cleaning(delimiter, header, names_of(header.cells if header else (), width))
    _sort(cleaning, rows, first, input)
    cleaning.convert()
    return cleaning


def _sort(cleaning: Cleaning, rows: list[Row], first: int, input: CleanTableInput) -> None:
    for row in rows[:first]:
        if any(row.cells):
            cleaning.refuse(row, "stands before the table")
    body = rows[first + 1 if cleaning.header else first :]
    cleaning.truncated = len(body) > input.max_rows
    for row in body[: input.max_rows]:
        cleaning.take(row)
    if input.drop_duplicates:
        cleaning.drop_duplicates()
