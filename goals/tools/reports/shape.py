"""Check that data has the shape a template needs, and say whose result it should be when it has not."""

from typing import Any

from goals.tools.errors import ToolInputError
from goals.tools.markdown import heading, inline, table


def expect(data: Any, template: str, tool: str, **kinds: type) -> dict[str, Any]:
    """The data, when it is an object with these keys of these types."""
    problem = "" if isinstance(data, dict) else "it is no object"
    for key, kind in {} if problem else kinds.items():
        if not isinstance(data.get(key), kind):
            problem = f"{key!r} is missing or no {kind.__name__}"
            break
        if kind is list and not all(isinstance(item, dict) for item in data[key]):
            problem = f"{key!r} must be a list of objects"
            break
    if problem:
        raise ToolInputError(f"render_report: template {template!r} takes the result of {tool} as data, but {problem}.")
    return data


def problems(data: dict[str, Any]) -> list[str]:
    """The closing section on what could not be taken in; nothing when all went well."""
    found = [p for p in data.get("problems") or [] if isinstance(p, dict)]
    pieces = []
    if data.get("truncated"):
        pieces.append("**This is not everything:** a limit on files or entries was reached.")
    if found:
        rows = [[inline(p.get("path")), inline(p.get("problem"))] for p in found]
        pieces += [heading(2, "Not taken in"), table(["Path", "Why"], rows)]
    return pieces
