"""The validation report of a cleaned table, from `clean_table`."""

from typing import Any

from goals.tools.markdown import code, fields, heading, inline, records_table, table
from goals.tools.reports.shape import expect, problems
from goals.tools.text import plural

_SAMPLE = 5


def pieces(title: str, data: Any) -> list[str]:
    """What was read and kept, columns, rows that were bad, what was changed, a sample."""
    data = expect(data, "table_cleaning", "clean_table", columns=list, records=list, report=dict)
    report = data["report"]
    shown = [heading(1, title or f"Validation of {data.get('path', 'the table')}"), _verdict(data, report)]
    shown += [heading(2, "How it was read"), _reading(data, report)]
    shown += [heading(2, "Columns"), _columns(data["columns"])]
    shown += [heading(2, "Rows that were not kept"), _bad(report)]
    if report.get("notes"):
        shown += [heading(2, "What was changed"), "\n".join(f"- {inline(note, 500)}" for note in report["notes"])]
    if data["records"]:
        names = [str(c.get("name")) for c in data["columns"]]
        shown += [heading(2, f"The first {plural(min(_SAMPLE, len(data['records'])), 'record')}")]
        shown += [records_table(data["records"][:_SAMPLE], names[:30])]
    return [*shown, *problems(data)]


def _verdict(data: dict[str, Any], report: dict[str, Any]) -> str:
    counts = (("bad", "bad_row_count"), ("blank", "blank_rows"), ("duplicate", "duplicate_rows"))
    lost = ", ".join(f"{report.get(key, 0)} {name}" for name, key in counts)
    kept = f"{plural(data.get('record_count', 0), 'record')} kept of {plural(report.get('rows_read', 0), 'row')} read"
    return f"**{kept}** ({lost})."


def _reading(data: dict[str, Any], report: dict[str, Any]) -> str:
    shown = {"File": data.get("path"), "Encoding": report.get("encoding"), "Delimiter": report.get("delimiter")}
    shown |= {"Header": report.get("header"), "Records written to": data.get("output") or "(not written)"}
    return fields(shown)


def _columns(columns: list[dict[str, Any]]) -> str:
    header = ["Column", "In the file", "Type", "Filled", "Empty", "Examples"]
    rows = []
    for c in columns:
        named = [code(c.get("name")), inline(c.get("original")), inline(c.get("type"))]
        rows.append([*named, inline(c.get("filled")), inline(c.get("empty")), inline(c.get("examples"))])
    return table(header, rows)


def _bad(report: dict[str, Any]) -> str:
    bad = [b for b in report.get("bad_rows") or [] if isinstance(b, dict)]
    if not bad:
        return "No row was bad."
    rows = [[str(b.get("line", "")), inline(b.get("problem")), code(b.get("row"))] for b in bad]
    more = report.get("bad_row_count", 0) - len(bad)
    text = table(["Line", "Problem", "Row"], rows)
    return f"{text}\n\n({more} more are not shown.)" if more > 0 else text
