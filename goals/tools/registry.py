"""All tools by name: our own, those of the entry point group `goalsite.tools`, and those of MCP servers.

Our own and the plug-ins are the site's from its start on (`own_tools`); MCP servers' come and go while it runs.
"""

import re
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from pydantic import BaseModel

from goals.mcp import offered
from goals.tools.base import Tool
from goals.tools.builtin import BUILTIN
from goals.tools.errors import BrokenPlugin, UnknownTool

GROUP = "goalsite.tools"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def get(name: str) -> Tool:
    """The tool of this name, or of this name as models write it; UnknownTool says which there are."""
    if own := _tools().get(name):
        return own
    server, point, rest = name.partition("__")
    dotted = f"{server}.{rest}" if point else name
    if found := offered.tools.get().get(dotted):
        return found
    raise UnknownTool(f"There is no tool {name!r}. There are: {', '.join(names())}.")


def all_tools() -> tuple[Tool, ...]:
    """All tools, ordered by name."""
    known: dict[str, Tool] = {**offered.tools.get(), **_tools()}
    return tuple(known[name] for name in sorted(known))


def names() -> tuple[str, ...]:
    """The names of all tools, ordered."""
    return tuple(tool.name for tool in all_tools())


def own_tools() -> tuple[Tool, ...]:
    """Our own tools and those of plug-ins, ordered by name; asks no database."""
    return tuple(_tools()[name] for name in own_names())


def own_names() -> tuple[str, ...]:
    """The names of our own tools and those of plug-ins, ordered."""
    return tuple(sorted(_tools()))


@lru_cache(maxsize=2000)
def schema(tool: Tool) -> dict[str, Any]:
    """The tool as a function of the chat completions protocol; made once, not to be changed."""
    function = {"name": tool.function_name, "description": tool.description, "parameters": tool.parameters()}
    return {"type": "function", "function": function}


@cache
def _tools() -> dict[str, Tool]:
    tools = {tool.name: tool for tool in (kind() for kind in BUILTIN)}
    for point in entry_points(group=GROUP):
        tool = load_plugin(point)
        if tool.name in tools:
            raise BrokenPlugin(f"The plug-in {point.value} repeats the tool name {tool.name!r}.")
        tools[tool.name] = tool
    return tools


def load_plugin(point: EntryPoint) -> Tool:
    """The tool behind an entry point (a Tool class or instance), checked; else BrokenPlugin."""
    try:
        loaded = point.load()
        tool = loaded() if isinstance(loaded, type) else loaded
    except Exception as error:
        raise BrokenPlugin(f"The plug-in {point.value} cannot be loaded: {error}") from error
    problem = _problem(tool)
    if problem:
        raise BrokenPlugin(f"The plug-in {point.value} is not a tool: {problem}")
    return tool


def _problem(tool: Any) -> str:
    if not isinstance(tool, Tool):
        return "it does not subclass goals.tools.base.Tool."
    if not _NAME.fullmatch(getattr(tool, "name", "")):
        return "its name must be 1 to 64 letters, digits, _ or -."
    kind = getattr(tool, "Input", None)
    if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
        return "its Input must be a pydantic model."
    return "" if getattr(tool, "description", "") else "it has no description."
