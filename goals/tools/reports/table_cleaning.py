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
    shown += [heading(2, "Values that do not fit their column"), _misfits(data, report)]
    shown += [heading(2, "Rows that were not kept"), _bad(report)]
    if report.get("notes"):
        shown += [heading(2, "What was changed"), "\n".join(f"- {inline(note, 500)}" for note in report["notes"])]
    if report.get("remarks"):
        shown += [heading(2, "Worth a look"), "\n".join(f"- {inline(remark, 500)}" for remark in report["remarks"])]
    if data["records"]:
        names = [str(c.get("name")) for c in data["columns"]]
        shown += [heading(2, f"The first {plural(min(_SAMPLE, len(data['records'])), 'record')}")]
        shown += [records_table(data["records"][:_SAMPLE], names[:30])]
    return [*shown, *problems(data)]


def _verdict(data: dict[str, Any], report: dict[str, Any]) -> str:
    counts = (("bad", "bad_row_count"), ("blank", "blank_rows"), ("duplicate", "duplicate_rows"))
    lost = ", ".join(f"{report.get(key, 0)} {name}" for name, key in counts)
    kept = f"{plural(data.get('record_count', 0), 'record')} kept of {plural(report.get('rows_read', 0), 'row')} read"
    misfits = report.get("invalid_value_count", 0)
    fit = f"; **{plural(misfits, 'value')}** {'does' if misfits == 1 else 'do'} not fit" if misfits else ""
    return f"**{kept}** ({lost}){fit}."


def _reading(data: dict[str, Any], report: dict[str, Any]) -> str:
    shown = {"File": _file(data), "Encoding": report.get("encoding"), "Delimiter": report.get("delimiter")}
    shown |= {"Header": report.get("header"), "Records written to": data.get("output") or "(not written)"}
    return fields(shown)


def _file(data: dict[str, Any]) -> str:
    """The file, and out of how many it was chosen where that is known."""
    candidates = data.get("candidates")
    if not candidates:
        return str(data.get("path"))
    return f"{data.get('path')} ({'the only one in the folder' if candidates == 1 else f'one of {candidates}'})"


def _columns(columns: list[dict[str, Any]]) -> str:
    header = ["Column", "In the file", "Type", "Filled", "Empty", "Do not fit", "Examples"]
    rows = []
    for c in columns:
        named = [code(c.get("name")), inline(c.get("original")), inline(c.get("type"))]
        rows.append([*named, inline(c.get("filled")), inline(c.get("empty"))])
        rows[-1] += [inline(c.get("misfits", 0)), inline(c.get("examples"))]
    return table(header, rows)


def _misfits(data: dict[str, Any], report: dict[str, Any]) -> str:
    found = [m for m in report.get("invalid_values") or [] if isinstance(m, dict)]
    if not found:
        return "Every value fits."
    place = code(data["output"]) if data.get("output") else "the records"
    rows = [
        [str(m.get("line", "")), code(m.get("column")), code(m.get("value")), inline(m.get("problem"))] for m in found
    ]
    text = f"In {place} they stay the text that they are.\n\n{table(['Line', 'Column', 'Value', 'Problem'], rows)}"
    return text + _more(report.get("invalid_value_count", 0) - len(found))


def _more(count: int) -> str:
    return f"\n\n({count:,} more are not shown.)" if count > 0 else ""


def _bad(report: dict[str, Any]) -> str:
    bad = [b for b in report.get("bad_rows") or [] if isinstance(b, dict)]
    if not bad:
        return "No row was bad."
    rows = [[str(b.get("line", "")), inline(b.get("problem")), code(b.get("row"))] for b in bad]
    return table(["Line", "Problem", "Row"], rows) + _more(report.get("bad_row_count", 0) - len(bad))
