"""The inventory of Python modules, from `inspect_python_modules`."""

from typing import Any

from goals.tools.markdown import code, heading, inline, table
from goals.tools.reports.shape import expect, problems
from goals.tools.text import plural


def pieces(title: str, data: Any) -> list[str]:
    """Totals, one table of modules, the public functions of each, missing docstrings, modules that do not parse."""
    data = expect(data, "python_inventory", "inspect_python_modules", modules=list, totals=dict)
    modules = data["modules"]
    shown = [heading(1, title or "Python modules"), _totals(data["totals"])]
    if not modules:
        return [*shown, "There is no Python module here.", *problems(data)]
    shown += [heading(2, "Modules"), _modules(modules)]
    shown += [heading(2, "Public functions"), *(_names(modules) or ["There is none."])]
    shown += [heading(2, "Missing docstrings"), _missing(modules)]
    return [*shown, *_errors(modules), *problems(data)]


def _totals(totals: dict[str, Any]) -> str:
    counted = [("modules", "module"), ("lines", "line"), ("functions", "public function"), ("classes", "public class")]
    text = ", ".join(plural(totals.get(key, 0), noun) for key, noun in counted)
    missing = plural(totals.get("missing_docstrings", 0), "missing docstring")
    errors = totals.get("errors", 0)
    return f"{text}; {missing}" + (f"; {plural(errors, 'module')} could not be parsed." if errors else ".")


def _modules(modules: list[dict[str, Any]]) -> str:
    header = ["File", "Lines", "Functions", "Classes", "Missing docstrings", "What it says it is"]
    rows = []
    for m in modules:
        counts = [str(len(m.get(key) or [])) for key in ("functions", "classes", "missing_docstrings")]
        said = f"**does not parse:** {inline(m['error'])}" if m.get("error") else inline(m.get("summary"))
        rows.append([code(m.get("path")), str(m.get("lines", 0)), *counts, said])
    return table(header, rows)


def _names(modules: list[dict[str, Any]]) -> list[str]:
    shown = []
    for m in modules:
        lines = [_line(f) for f in m.get("functions") or []]
        for item in m.get("classes") or []:
            lines.append(f"- class {code(item.get('name'))} (line {item.get('line')}){_mark(item)}")
            lines += ["  " + _line(method) for method in item.get("methods") or []]
        if lines:
            shown += [heading(3, m.get("path")), "\n".join(lines)]
    return shown


def _line(function: dict[str, Any]) -> str:
    kind = "async " if function.get("async") else ""
    signature = function.get("signature") or function.get("name")
    return f"- {kind}{code(signature)} (line {function.get('line')}){_mark(function)}"


def _mark(item: dict[str, Any]) -> str:
    return "" if item.get("docstring") else ": no docstring"


def _missing(modules: list[dict[str, Any]]) -> str:
    rows = [
        [code(m.get("path")), ", ".join(code(name) for name in m["missing_docstrings"])]
        for m in modules
        if m.get("missing_docstrings")
    ]
    return table(["File", "Without a docstring"], rows) if rows else "Every public name has one."


def _errors(modules: list[dict[str, Any]]) -> list[str]:
    rows = [[code(m.get("path")), inline(m["error"])] for m in modules if m.get("error")]
    return [heading(2, "Modules that do not parse"), table(["File", "Error"], rows)] if rows else []
