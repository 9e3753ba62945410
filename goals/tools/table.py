"""`clean_table`: a CSV file of unknown making as JSON records, with a report of everything that was odd."""

from typing import Literal

from pydantic import Field

from goals.tools.base import ToolInput


class CleanTableInput(ToolInput):
    path: str = Field(min_length=1, max_length=4096, description="CSV or TSV file, relative to the workspace")
    output: str = Field("", max_length=4096, description="JSON file to write the records to; empty writes none")
    header: Literal["auto", "first_row", "none"] = Field("auto", description="Whether the first row names the columns")
    delimiter: Literal["auto", ",", ";", "\t", "|", ":"] = "auto"
    drop_duplicates: bool = True
    max_rows: int = Field(100_000, ge=1, le=1_000_000)
