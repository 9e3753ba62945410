"""The verifiers that a plan sets: of a known form, allowed to their author, and able to be met."""

from collections.abc import Iterator, Set
from typing import Any

from goals.plan_rules.known import Known, listed
from goals.plan_rules.nodes import WORKING, Node
from goals.plan_rules.sense import is_vague
from goals.verifiers.errors import InvalidVerifier
from goals.verifiers.spec import parse, parts, required_permission


def verifier_errors(node: Node, known: Known, visible: Set[str]) -> Iterator[str]:
    """Yield what is wrong with a node's own verifier and with those among its conditions."""
    specs = [(path, "verifier", c["verifier"]) for path, c in node.conditions if c.get("verifier") is not None]
    if node.raw.get("verifier") is not None:
        specs.append((node.path, "verifier", node.raw["verifier"]))
    for path, field, spec in specs:
        try:
            typed = parse(spec)
        except InvalidVerifier as error:
            yield f"{path}.{error}"
            continue
        needs = required_permission(typed)
        if needs and not known.reviewed:
            yield f"{path}.{field}: this type needs the permission {needs}, which a plan does not have"
        yield from _unmeetable(f"{path}.{field}", typed, node, visible)


def _unmeetable(path: str, typed: Any, node: Node, visible: Set[str]) -> Iterator[str]:
    """A model at work may leave artifacts of any name; other steps leave what they declare."""
    for part in parts(typed):
        if part.type == "llm" and part.condition and is_vague(part.condition):
            yield f"{path}: the condition {part.condition[:100]!r} is nothing that can be checked"
        name = part.name if part.type == "artifact" and part.exists else getattr(part, "artifact", None)
        if name and node.predicate not in WORKING and name not in visible | node.made:
            yield f"{path}: nothing makes the artifact {name!r}; known then: {listed(visible | node.made)}"
