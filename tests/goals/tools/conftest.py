"""A workspace in a temporary folder, and a way to call a tool in it as the loop does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goals.tools import registry
from goals.tools.base import ToolContext, ToolResult
from goals.tools.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of the workspace; its parent is outside."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def context(root: Path) -> ToolContext:
    return ToolContext("goal", None, Workspace(root), "key-1", deadline_seconds=30)


@pytest.fixture
def call(context: ToolContext) -> Callable[..., Any]:
    """Call a tool by name with arguments as JSON; gives its value."""

    def run(name: str, **arguments: Any) -> Any:
        return call_tool(context, name, **arguments).value

    return run


def call_tool(context: ToolContext, name: str, **arguments: Any) -> ToolResult:
    tool = registry.get(name)
    return tool.run(tool.parse(arguments), context)
