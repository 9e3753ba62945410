"""`clean_table`: a CSV file of unknown making as JSON records, with a report of everything that was odd."""

import json
from typing import Any, Literal

from pydantic import Field

from goals.states import EffectClass, Risk
from goals.tools.base import OutputSpec, Reach, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import ToolInputError
from goals.tools.files_write import encode
from goals.tools.table_cleaning import clean
from goals.tools.text import Decoded, decode, is_binary, plural

MAX_BYTES = 32 * 1024 * 1024
_SHOWN_RECORDS = 1000


class CleanTableInput(ToolInput):
    path: str = Field(min_length=1, max_length=4096, description="CSV or TSV file, relative to the workspace")
    output: str = Field("", max_length=4096, description="JSON file to write the list of records to; empty: none")
    header: Literal["auto", "first_row", "none"] = Field("auto", description="Whether the first row names the columns")
    delimiter: Literal["auto", ",", ";", "\t", "|", ":"] = "auto"
    drop_duplicates: bool = True
    chosen_from: list[str] = Field(
        default_factory=list, max_length=10_000, description="The files that path was chosen from; the report tells it"
    )
    max_rows: int = Field(100_000, ge=1, le=1_000_000)


class CleanTable(Tool):
    name = "clean_table"
    description = (
        "Clean a CSV file into JSON records. Gives {path, output, columns: [{name, original, type, filled, empty, "
        "misfits, examples}], records (the first 1,000), record_count, row_count, report: {encoding, delimiter, "
        "header, rows_read, rows_kept, blank_rows, duplicate_rows, bad_rows, bad_row_count, invalid_values: [{line, "
        "column, value, problem}], invalid_value_count, emptied_values, repeated_identifiers, notes, remarks}, "
        "truncated}. What does not fit its column's type stays text in the records."
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
        options = input.model_dump(include={"path", "delimiter", "header", "max_rows", "drop_duplicates"})
        cleaning = clean(decoded.text, **options)
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
            "candidates": len(input.chosen_from) or None,
            "columns": [column.described() for column in cleaning.columns],
            "records": cleaning.records[:_SHOWN_RECORDS],
            "record_count": len(cleaning.records),
            "row_count": report["rows_read"],
            "report": report,
            "truncated": cut or cleaning.truncated,
        }
        said = f"Kept {len(cleaning.records)} of {plural(report['rows_read'], 'row')} of {input.path}."
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
