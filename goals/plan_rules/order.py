"""What waits for what: dependencies that exist, no circle, and what each node can see when its turn comes."""

from collections.abc import Iterator, Sequence

from goals.plan_rules.nodes import Node
from goals.states import Decomposition


def dependency_errors(nodes: Sequence[Node], decomposition: str) -> Iterator[str]:
    for node in nodes:
        if decomposition == Decomposition.OR and node.depends_on:
            yield f"{node.path}.depends_on: alternatives are tried in their order; must be empty where all are OR"
        for place, other in enumerate(node.depends_on):
            if other == node.number or not 0 <= other < len(nodes):
                allowed = f"0 to {len(nodes) - 1}, not {node.number}" if len(nodes) > 1 else "none: it is the only one"
                yield f"{node.path}.depends_on[{place}]: {other} is no other subgoal; allowed are {allowed}"
    circle = _circle(nodes)
    if circle:
        said = " -> ".join(str(number) for number in circle)
        yield f"{nodes[circle[0]].path}.depends_on: runs in a circle: {said}; each may wait only for others"


def before(nodes: Sequence[Node], number: int) -> set[int]:
    """Return the nodes that one waits for, directly or not."""
    seen: set[int] = set()
    waiting = [number]
    while waiting:
        for other in _others(nodes, waiting.pop()):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen


def _others(nodes: Sequence[Node], number: int) -> list[int]:
    return [d for d in nodes[number].depends_on if 0 <= d < len(nodes) and d != number]


def _circle(nodes: Sequence[Node]) -> list[int]:
    """Return a shortest circle of the first node that is in one, first and last the same; or nothing."""
    start = next((n for n in range(len(nodes)) if n in before(nodes, n)), None)
    if start is None:
        return []
    paths = [[start]]
    for path in paths:
        for other in _others(nodes, path[-1]):
            if other == start:
                return [*path, start]
            if all(other not in known for known in paths):
                paths.append([*path, other])
    return []
