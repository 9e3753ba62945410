"""`inspect_python_modules`: what the Python files of a folder define, by their syntax trees; nothing is imported."""

import ast
import tokenize
import warnings
from io import BytesIO
from typing import Any

from pydantic import Field

from goals.tools.base import OutputSpec, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import ToolError
from goals.tools.text import is_binary, shorten
from goals.tools.tree import Listing, walk

MAX_MODULE_BYTES = 2 * 1024 * 1024
_SIGNATURE = 200


class InspectPythonModulesInput(ToolInput):
    path: str = Field(".", min_length=1, max_length=4096, description="Folder to inspect, relative to the workspace")
    pattern: str = Field("*.py", min_length=1, max_length=500, description="Glob of the modules")
    max_files: int = Field(2000, ge=1, le=10_000)


class InspectPythonModules(Tool):
    name = "inspect_python_modules"
    description = (
        "Inspect the Python modules of a folder without running them. Gives {path, modules: [{path, lines, docstring, "
        "summary, functions, classes, missing_docstrings, error}], totals, problems, truncated}; a module that does "
        "not parse has an error."
    )
    Input = InspectPythonModulesInput
    far_side = False
    outputs = (OutputSpec("python_inventory", "data", "Modules with lines, public names and missing docstrings"),)

    def run(self, input: InspectPythonModulesInput, context: ToolContext) -> ToolResult:
        """Parse each module; what cannot be read or parsed is an entry with its error."""
        listing = walk(context, input.path, pattern=input.pattern)
        modules = []
        for entry in listing.files[: input.max_files]:
            context.check_deadline()
            module = _inspect_file(context, listing, entry.path, entry.size)
            if module is not None:
                modules.append(module)
        value = {
            "path": input.path,
            "modules": modules,
            "totals": _totals(modules),
            "problems": listing.problems,
            "truncated": listing.truncated or len(listing.files) > input.max_files,
        }
        return ToolResult(value, f"Python modules found: {len(modules)}.", untrusted=True)


def _inspect_file(context: ToolContext, listing: Listing, path: str, size: int) -> dict[str, Any] | None:
    if size > MAX_MODULE_BYTES:
        return _broken(path, 0, f"larger than {MAX_MODULE_BYTES:,} bytes, not inspected")
    try:
        data = context.workspace.read_bytes(path, limit=MAX_MODULE_BYTES)
    except ToolError as error:
        listing.problem(path, str(error))
        return None
    return inspect_module(path, data)


def inspect_module(path: str, data: bytes) -> dict[str, Any]:
    """One module's entry; never raises, whatever the bytes are."""
    lines = len(data.splitlines())
    if is_binary(data):
        return _broken(path, lines, "not text")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(_source(data), filename=path)
    except SyntaxError as error:
        where = f"line {error.lineno}: " if error.lineno else ""
        return _broken(path, lines, f"{where}{error.msg}")
    except (ValueError, RecursionError, MemoryError) as error:
        return _broken(path, lines, f"cannot be parsed: {error or type(error).__name__}")
    return _describe(path, lines, tree)


def _source(data: bytes) -> str:
    """The text by the encoding the module declares."""
    encoding, _ = tokenize.detect_encoding(BytesIO(data).readline)
    return data.decode(encoding)


def _describe(path: str, lines: int, tree: ast.Module) -> dict[str, Any]:
    text = ast.get_docstring(tree)
    functions = [_function(node) for node in _public(tree.body) if not isinstance(node, ast.ClassDef)]
    classes = [_class(node) for node in _public(tree.body) if isinstance(node, ast.ClassDef)]
    missing = [] if text or not tree.body else ["(module)"]
    missing += [f["name"] for f in functions if not f["docstring"]]
    for item in classes:
        missing += [] if item["docstring"] else [item["name"]]
        missing += [f"{item['name']}.{m['name']}" for m in item["methods"] if not m["docstring"]]
    summary = shorten(text.strip().split("\n", 1)[0], 200) if text and text.strip() else ""
    described = {"path": path, "lines": lines, "docstring": bool(text), "summary": summary, "functions": functions}
    return described | {"classes": classes, "missing_docstrings": missing, "error": None}


_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _public(body: list[ast.stmt]) -> list[_Definition]:
    """Public definitions of a body, also those under a top-level `if` or `try`; a name defined twice counts once."""
    found: dict[str, _Definition] = {}
    for node in _flat(body):
        if not node.name.startswith("_"):
            found[node.name] = node
    return list(found.values())


def _flat(body: list[ast.stmt]) -> list[_Definition]:
    found: list[_Definition] = []
    for node in body:
        if isinstance(node, _Definition):
            found.append(node)
        elif isinstance(node, ast.If):
            found += _flat(node.body) + _flat(node.orelse)
        elif isinstance(node, ast.Try):
            found += _flat(node.body) + _flat(node.orelse) + _flat(node.finalbody)
            found += [inner for handler in node.handlers for inner in _flat(handler.body)]
    return found


def _function(node: _Definition) -> dict[str, Any]:
    described: dict[str, Any] = {"name": node.name, "line": node.lineno, "docstring": bool(ast.get_docstring(node))}
    described["async"] = isinstance(node, ast.AsyncFunctionDef)
    described["signature"] = _signature(node)
    return described


def _signature(node: Any) -> str:
    try:
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return shorten(f"{node.name}({ast.unparse(node.args)}){returns}", _SIGNATURE)
    except (RecursionError, ValueError):
        return f"{node.name}(…)"


def _class(node: ast.ClassDef) -> dict[str, Any]:
    methods = [_function(inner) for inner in _public(node.body) if not isinstance(inner, ast.ClassDef)]
    described = {"name": node.name, "line": node.lineno, "docstring": bool(ast.get_docstring(node))}
    return described | {"methods": methods}


def _broken(path: str, lines: int, error: str) -> dict[str, Any]:
    empty: dict[str, Any] = {"docstring": False, "summary": "", "functions": [], "classes": []}
    return {"path": path, "lines": lines} | empty | {"missing_docstrings": [], "error": error}


def _totals(modules: list[dict[str, Any]]) -> dict[str, int]:
    return {
        "modules": len(modules),
        "lines": sum(m["lines"] for m in modules),
        "functions": sum(len(m["functions"]) for m in modules),
        "classes": sum(len(m["classes"]) for m in modules),
        "methods": sum(len(c["methods"]) for m in modules for c in m["classes"]),
        "missing_docstrings": sum(len(m["missing_docstrings"]) for m in modules),
        "errors": sum(1 for m in modules if m["error"]),
    }
