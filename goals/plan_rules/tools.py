"""What a plan may ask of tools: that they exist, that they know the arguments, and that none is missing."""

from collections.abc import Iterator, Mapping, Set
from typing import Any

import jsonschema
from jsonschema.exceptions import best_match

from artifacts.references import find
from goals.plan_rules.known import Known, listed, no_tool
from goals.plan_rules.nodes import Node
from goals.states import Predicate

TAKES = ("input", "tool")


def tool_errors(node: Node, known: Known, visible: Set[str]) -> Iterator[str]:
    """Yield what is wrong with the tools that a node names and with the call of a `use_tool`."""
    for number, name in enumerate(node.items("tools")):
        if isinstance(name, str) and name not in known.tools:
            yield f"{node.path}.tools[{number}]: {no_tool(name, known)}"
    if node.predicate == Predicate.USE_TOOL:
        yield from _call_errors(node, known, visible)


def _call_errors(node: Node, known: Known, visible: Set[str]) -> Iterator[str]:
    for name in sorted(node.args.keys() - TAKES):
        yield f"{node.path}.args.{name}: use_tool takes {listed(TAKES)}; arguments of the tool go into args.input"
    tool, given = node.args.get("tool"), node.args.get("input", {})
    if not isinstance(tool, str) or tool not in known.tools:
        yield f"{node.path}.args.tool: {no_tool(tool, known)}"
    if not isinstance(given, dict):
        yield f"{node.path}.args.input: must be an object"
    elif isinstance(tool, str) and tool in known.tools:
        yield from _input_errors(f"{node.path}.args.input", tool, given, known, visible)


def _input_errors(path: str, tool: str, given: Mapping[str, Any], known: Known, visible: Set[str]) -> Iterator[str]:
    schema = known.tools[tool]
    fields = schema.get("properties", {})
    for name, value in given.items():
        if name not in fields:
            yield f"{path}.{name}: unknown argument; {tool} takes {listed(fields)}"
        elif problem := _misfit(value, fields[name], schema):
            yield f"{path}.{name}: {problem}"
    if known.reviewed:
        return
    for name in schema.get("required", ()):
        if name not in given and name not in visible:
            yield f"{path}.{name}: {tool} requires it; give it, or gather {name!r} in an earlier step"


def _misfit(value: Any, field: Any, schema: Mapping[str, Any]) -> str:
    """Why a value that is given as it stands does not fit; what holds references is known only when it is used."""
    if find(value):
        return ""
    validator = jsonschema.Draft202012Validator({**field, "$defs": schema.get("$defs", {})})
    error = best_match(validator.iter_errors(value))
    return "" if error is None else str(error.message)[:300]
