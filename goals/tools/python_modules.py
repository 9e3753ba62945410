"""`inspect_python_modules`: what the Python files of a folder define, by their syntax trees; nothing is imported."""

from typing import Any

from pydantic import Field

from goals.tools.base import OutputSpec, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import ToolError, ToolInputError
from goals.tools.python_source import broken, inspect_module
from goals.tools.tree import Listing, in_folder, tell_ignored, walk

MAX_MODULE_BYTES = 2 * 1024 * 1024
DEFAULT_PATTERN, _ALIKE = "*.py", "*.[pP][yY]*"
_TOLD = 5


class InspectPythonModulesInput(ToolInput):
    path: str = Field(".", min_length=1, max_length=4096, description="Folder to inspect, relative to the workspace")
    pattern: str = Field(DEFAULT_PATTERN, min_length=1, max_length=500, description="Glob of the modules")
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
        """Parse each module; what cannot be read or parsed is an entry with its error. ToolInputError without any."""
        listing = _modules(input, context)
        modules = []
        for entry in listing.files[: input.max_files]:
            context.check_deadline()
            module = _inspect_file(context, listing, entry.path, entry.size)
            if module is not None:
                modules.append(module)
        if not modules:
            raise ToolInputError(_nothing(input, listing))
        tell_ignored(listing)
        value = {
            "path": input.path,
            "modules": modules,
            "totals": _totals(modules),
            "problems": listing.problems,
            "truncated": listing.truncated or len(listing.files) > input.max_files,
        }
        return ToolResult(value, f"Python modules found: {len(modules)}.", untrusted=True)


def _modules(input: InspectPythonModulesInput, context: ToolContext) -> Listing:
    """The modules; what only looks like one by its name is told of."""
    if input.pattern != DEFAULT_PATTERN:
        return walk(context, input.path, pattern=input.pattern)
    listing = walk(context, input.path, pattern=_ALIKE)
    for entry in listing.files:
        if not entry.path.endswith(".py"):
            stub = entry.path.lower().endswith(".pyi")
            listing.problem(entry.path, "is a stub, not a module" if stub else "its name does not end in .py")
    listing.files = [entry for entry in listing.files if entry.path.endswith(".py")]
    return listing


def _nothing(input: InspectPythonModulesInput, listing: Listing) -> str:
    passed = "; ".join(f"{p['path']} {p['problem']}" for p in listing.problems[:_TOLD])
    why = f"{input.pattern} was looked for" + (f" ({passed})" if passed else "")
    return f"There are no Python modules {in_folder(input.path)}: {why}."


def _inspect_file(context: ToolContext, listing: Listing, path: str, size: int) -> dict[str, Any] | None:
    if size > MAX_MODULE_BYTES:
        return broken(path, 0, f"larger than {MAX_MODULE_BYTES:,} bytes, not inspected")
    try:
        data = context.workspace.read_bytes(path, limit=MAX_MODULE_BYTES)
    except ToolError as error:
        listing.problem(path, str(error))
        return None
    return inspect_module(path, data)


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
