"""`inspect_python_modules`: what the Python files of a folder define, by their syntax trees; nothing is imported."""

from pydantic import Field

from goals.tools.base import ToolInput


class InspectPythonModulesInput(ToolInput):
    path: str = Field(".", min_length=1, max_length=4096, description="Folder to inspect, relative to the workspace")
    pattern: str = Field("*.py", min_length=1, max_length=500, description="Glob of the modules")
    max_files: int = Field(2000, ge=1, le=10_000)
