"""`render_report`: a Markdown file in the workspace from a named template or a template given inline."""

from typing import Literal

from pydantic import Field, JsonValue

from goals.tools.base import ToolInput

TemplateName = Literal["generic", "python_inventory", "table_cleaning", "log_triage", "search_results", "link_index"]


class Section(ToolInput):
    """One section of a generic report; whatever is given is shown, in this order."""

    heading: str = Field(min_length=1, max_length=500)
    text: JsonValue = Field(None, description="A paragraph; a list becomes bullets, an object a list of its fields")
    items: JsonValue = Field(None, description="A list, shown as bullets")
    records: JsonValue = Field(None, description="A list of objects, shown as a table")
    columns: list[str] | None = Field(None, max_length=30, description="Columns of the table, in this order")


class RenderReportInput(ToolInput):
    path: str = Field("report.md", min_length=1, max_length=4096, description="File to write, in the workspace")
    title: str = Field("", max_length=500, description="Title of the report; each named template has its own")
    template: TemplateName = Field("generic", description="How to lay out the data; generic shows the sections")
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
