"""What one Python module defines, by its syntax tree; nothing is imported or run."""

import ast
import tokenize
import warnings
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from goals.tools.text import is_binary, shorten

_SIGNATURE = 200


def inspect_module(path: str, data: bytes) -> dict[str, Any]:
    """One module's entry; never raises, whatever the bytes are."""
    lines = len(data.splitlines())
    if is_binary(data):
        return broken(path, lines, "not text")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(_source(data), filename=path)
    except SyntaxError as error:
        where = f"line {error.lineno}: " if error.lineno else ""
        return broken(path, lines, f"{where}{error.msg}")
    except (ValueError, RecursionError, MemoryError) as error:
        return broken(path, lines, f"cannot be parsed: {error or type(error).__name__}")
    return _describe(path, lines, tree)


def _source(data: bytes) -> str:
    """The text by the encoding the module declares."""
    encoding, _ = tokenize.detect_encoding(BytesIO(data).readline)
    return data.decode(encoding)


def _describe(path: str, lines: int, tree: ast.Module) -> dict[str, Any]:
    text = ast.get_docstring(tree)
    functions = [_function(node) for node in _public(tree.body) if not isinstance(node, ast.ClassDef)]
    classes = list(_classes(tree.body))
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
    """Public definitions of a body, also those within its `if`, `try`, `with` or loops; a name defined twice counts
    once, by its last definition, and a property's setter is no definition of its own."""
    found: dict[str, _Definition] = {}
    for node in _flat(body):
        if not node.name.startswith("_") and not _is_accessor(node):
            found[node.name] = node
    return list(found.values())


def _flat(body: list[ast.stmt]) -> Iterator[_Definition]:
    for node in body:
        if isinstance(node, _Definition):
            yield node
            continue
        parts = [node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())]
        for part in parts:
            for name in ("body", "orelse", "finalbody"):
                yield from _flat(getattr(part, name, []))


def _is_accessor(node: _Definition) -> bool:
    """Whether it is `@NAME.setter` (or the like) of the property of its own name."""
    return any(
        isinstance(mark, ast.Attribute)
        and mark.attr in ("getter", "setter", "deleter")
        and isinstance(mark.value, ast.Name)
        and mark.value.id == node.name
        for mark in node.decorator_list
    )


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


def _classes(body: list[ast.stmt], within: str = "") -> Iterator[dict[str, Any]]:
    """The public classes, each followed by those that are nested in it, named `Outer.Inner`."""
    for node in _public(body):
        if isinstance(node, ast.ClassDef):
            name = within + node.name
            methods = [_function(inner) for inner in _public(node.body) if not isinstance(inner, ast.ClassDef)]
            described = {"name": name, "line": node.lineno, "docstring": bool(ast.get_docstring(node))}
            yield described | {"methods": methods}
            yield from _classes(node.body, f"{name}.")


def broken(path: str, lines: int, error: str) -> dict[str, Any]:
    empty: dict[str, Any] = {"docstring": False, "summary": "", "functions": [], "classes": []}
    return {"path": path, "lines": lines} | empty | {"missing_docstrings": [], "error": error}
