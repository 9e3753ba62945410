"""The shape of one node: known fields, types, sizes; and how deep and long its free JSON may be."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from goals.llm.parsing import place
from goals.llm.shapes import CheckpointDraft, SubgoalDraft
from goals.plan_rules.known import listed
from goals.plan_rules.nodes import Node

MAX_DEPTH = 20
MAX_VALUES = 2_000
MAX_CHARACTERS = 20_000
DRAFTS: dict[str, type[BaseModel]] = {"checkpoints": CheckpointDraft, "subgoals": SubgoalDraft}


def shape_errors(field: str, node: Node, raw: Any) -> list[str]:
    """Return what the form of a node forbids."""
    if not isinstance(raw, dict):
        return [f"{node.path}: must be an object with {listed(DRAFTS[field].model_fields)}"]
    bulky = [*_bulky(f"{node.path}.args", node.args), *_bulky(f"{node.path}.verifier", raw.get("verifier"))]
    if bulky:
        return bulky
    try:
        DRAFTS[field].model_validate(raw)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        return [f"{node.path}{_dot(place(e['loc']))}: {_said(e, DRAFTS[field])}" for e in errors]
    return []


def _said(error: Any, draft: type[BaseModel]) -> str:
    if error["type"] == "extra_forbidden" and len(error["loc"]) == 1:
        return f"unknown field; allowed are {listed(draft.model_fields)}"
    if error["type"] == "string_too_short":
        return "must not be empty"
    return str(error["msg"]).removeprefix("Value error, ")


def _dot(path: str) -> str:
    return path if path.startswith("[") else f".{path}"


def _bulky(path: str, value: Any) -> list[str]:
    depth = count = characters = 0
    for _, level, item in walk(value):
        depth, count = max(depth, level), count + 1
        characters += len(item) if isinstance(item, str) else 0
        if depth > MAX_DEPTH:
            return [f"{path}: nested too deep; at most {MAX_DEPTH} levels"]
        if count > MAX_VALUES or characters > MAX_CHARACTERS:
            return [f"{path}: too large; at most {MAX_VALUES:,} values and {MAX_CHARACTERS:,} characters of text"]
    return []


def walk(value: Any, path: str = "") -> Iterator[tuple[str, int, Any]]:
    """Yield (path, depth, value) of everything in a JSON value, itself first, in reading order; any depth will do."""
    waiting = [(path, 0, value)]
    while waiting:
        here, depth, item = waiting.pop()
        yield here, depth, item
        if isinstance(item, dict):
            inner = [(f"{here}.{name}", depth + 1, part) for name, part in item.items()]
        elif isinstance(item, list | tuple):
            inner = [(f"{here}[{n}]", depth + 1, part) for n, part in enumerate(item)]
        else:
            continue
        waiting += reversed(inner)
