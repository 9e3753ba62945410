"""`render_report`: a Markdown file in the workspace from a named template or a template given inline."""

import hashlib
import re
from typing import Literal

from pydantic import Field, JsonValue

from goals.states import EffectClass, Risk
from goals.tools import template
from goals.tools.base import OutputSpec, Reach, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import ToolInputError
from goals.tools.files_write import encode
from goals.tools.reports import TEMPLATES
from goals.tools.reports.generic import section as generic_section

TemplateName = Literal["generic", "python_inventory", "table_cleaning", "log_triage", "search_results", "link_index"]
MAX_REPORT = 8_000_000
_SHOWN = 20_000


class Section(ToolInput):
    """One section of a report; whatever is given is shown, in this order."""

    heading: str = Field(min_length=1, max_length=500)
    text: JsonValue = Field(None, description="A paragraph; a list becomes bullets, an object a list of its fields")
    items: JsonValue = Field(None, description="A list, shown as bullets")
    records: JsonValue = Field(None, description="A list of objects, shown as a table")
    columns: list[str] | None = Field(None, max_length=30, description="Columns of the table, in this order")


class RenderReportInput(ToolInput):
    path: str = Field("report.md", min_length=1, max_length=4096, description="File to write, in the workspace")
    title: str = Field("", max_length=500, description="Title of the report; each named template has its own")
    template: TemplateName = Field("generic", description="How to lay out the data")
    inline: str = Field(
        "",
        max_length=50_000,
        description=(
            "Own Markdown instead of a named template: {{ path.to.value }} with |table |list |code |json |count, "
            "{{#items}}…{{/items}} repeats or is shown when there is something, {{^items}}…{{/items}} when not"
        ),
    )
    data: JsonValue = Field(None, description="What the template shows, usually an @reference to a tool's result")
    sections: list[Section] = Field(default_factory=list, max_length=100, description="Added after the template's own")


class RenderReport(Tool):
    name = "render_report"
    description = (
        "Write a Markdown report into the workspace. Named templates take the result of a tool as data: "
        "python_inventory of inspect_python_modules, table_cleaning of clean_table, log_triage of group_log_errors, "
        "search_results of search_files, link_index of index_markdown_links; generic takes any data and sections. "
        "Gives {path, title, size, lines, sha256, text}."
    )
    Input = RenderReportInput
    far_side = False
    outputs = (OutputSpec("report", "file", "The Markdown report: where it is and what it says"),)
    effect_class = EffectClass.IDEMPOTENT
    risk = Risk.MODERATE
    reach = Reach.WRITE

    def run(self, input: RenderReportInput, context: ToolContext) -> ToolResult:
        """Render, then replace the file as a whole."""
        text = render(input)
        if len(text) > MAX_REPORT:
            raise ToolInputError(f"render_report: the report has more than {MAX_REPORT:,} characters.")
        data = encode(text)
        path = context.workspace.write_bytes(input.path, data)
        heading = re.search(r"^# (.+)$", text, re.MULTILINE)
        value = {"path": path, "title": input.title or (heading[1] if heading else ""), "size": len(data)}
        value |= {"lines": text.count("\n"), "sha256": hashlib.sha256(data).hexdigest(), "text": text[:_SHOWN]}
        return ToolResult(value, f"Wrote the report {path} ({value['lines']} lines).", files=(path,))


def render(input: RenderReportInput) -> str:
    """The report's Markdown; the same input gives the same text."""
    if input.inline:
        body = [template.render(input.inline, input.data)]
    else:
        body = TEMPLATES[input.template](input.title, input.data)
    body += [generic_section(2, s.heading, (s.text, s.items, s.records), s.columns) for s in input.sections]
    return "\n\n".join(piece.strip("\n") for piece in body if piece.strip()) + "\n"
