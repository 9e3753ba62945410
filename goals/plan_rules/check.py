"""All rules over one plan."""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from goals.plan_rules.keys import key_errors, repeated_keys
from goals.plan_rules.known import Known
from goals.plan_rules.nodes import Node, nodes_of
from goals.plan_rules.order import before, dependency_errors
from goals.plan_rules.people import asking_errors
from goals.plan_rules.sense import repeated_steps, restating_checkpoints, restating_subgoals, uncheckable
from goals.plan_rules.shape import shape_errors
from goals.plan_rules.tools import tool_errors
from goals.plan_rules.verifiers import verifier_errors
from goals.states import Decomposition, Predicate

MAX_ERRORS = 100
LONGEST = 600


def checkpoint_errors(drafts: Any, known: Known, objective: str = "") -> list[str]:
    """Return every error of a plan of checkpoints, in the order of its steps; empty when it can be followed."""
    size = _size_error("checkpoints", drafts, known.most)
    return [size] if size else _told(_of_checkpoints(drafts, known, objective))


def subgoal_errors(
    drafts: Any, decomposition: str, known: Known, task: str = "", needed: Set[str] = frozenset()
) -> list[str]:
    """Return every error of a plan of children. `needed` are the keys that the task waits for and a child must make."""
    size = _size_error("subgoals", drafts, known.most)
    return [size] if size else _told(_of_subgoals(drafts, decomposition, known, task, needed))


def _size_error(field: str, drafts: Any, most: int) -> str:
    if not isinstance(drafts, list | tuple):
        return f"{field}: must be a list"
    return "" if 1 <= len(drafts) <= most else f"{field}: {len(drafts)} given; 1 to {most} are allowed"


def _of_checkpoints(drafts: Sequence[Any], known: Known, objective: str) -> Iterator[str]:
    nodes = nodes_of("checkpoints", drafts)
    yield from repeated_steps(nodes)
    yield from repeated_keys(nodes)
    yield from restating_checkpoints(nodes, objective)
    visible = known.keys
    for node, raw in zip(nodes, drafts, strict=True):
        yield from _of_node("checkpoints", node, raw, nodes, known, visible)
        visible = visible | node.made


def _of_subgoals(drafts: Sequence[Any], decomposition: str, known: Known, task: str, needed: Set[str]) -> Iterator[str]:
    nodes = nodes_of("subgoals", drafts)
    if decomposition not in Decomposition.values:
        yield f"decomposition: {str(decomposition)[:50]!r} is unknown; allowed are {', '.join(Decomposition.values)}"
    yield from repeated_steps(nodes)
    if decomposition != Decomposition.OR:  # alternatives rightly make the same
        yield from repeated_keys(nodes)
    yield from restating_subgoals(nodes, task)
    yield from dependency_errors(nodes, decomposition)
    for node, raw in zip(nodes, drafts, strict=True):
        waited = frozenset() if decomposition == Decomposition.OR else before(nodes, node.number)
        visible = known.keys.union(*(nodes[n].made for n in waited))
        yield from _of_node("subgoals", node, raw, nodes, known, visible)
    if not any(node.predicate == Predicate.COMPOSITE for node in nodes):
        for key in sorted(needed - known.keys.union(*(node.made for node in nodes))):
            yield f"subgoals: no subgoal makes {key!r}, which the task's done_when waits for"


def _of_node(
    field: str, node: Node, raw: Mapping[str, Any], nodes: Sequence[Node], known: Known, visible: frozenset[str]
) -> Iterator[str]:
    shape = shape_errors(field, node, raw)
    yield from shape
    if any(error.startswith(f"{node.path}.{name}: ") for error in shape for name in ("args", "verifier")):
        return
    yield from tool_errors(node, known, visible)
    yield from key_errors(node, nodes, known, visible)
    yield from asking_errors(node, known)
    yield from verifier_errors(node, known, visible)
    yield from uncheckable(node)


def _told(errors: Iterator[str]) -> list[str]:
    """The errors, each once; of very many the first, and how many more."""
    found = list(dict.fromkeys(error if len(error) <= LONGEST else error[:LONGEST] + "…" for error in errors))
    if len(found) <= MAX_ERRORS:
        return found
    return [*found[:MAX_ERRORS], f"and {len(found) - MAX_ERRORS} errors more"]
