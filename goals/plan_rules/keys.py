"""Keys: each is made once, and used only where it is known by then."""

from collections.abc import Iterator, Sequence, Set

from artifacts.references import parse
from goals.plan_rules.known import Known, listed
from goals.plan_rules.nodes import ASKING, Node
from goals.plan_rules.shape import walk
from goals.states import Predicate


def repeated_keys(nodes: Sequence[Node]) -> Iterator[str]:
    """Yield the keys that two nodes make: the second would be taken for done by what the first one left."""
    makers: dict[str, Node] = {}
    for node in nodes:
        for key in sorted(node.made):
            first = makers.setdefault(key, node)
            if first is not node:
                field = "evidence_key" if key == node.key else "outputs"
                yield f"{node.path}.{field}: {key!r} is made by {first.path} already; each key is made once"


def key_errors(node: Node, nodes: Sequence[Node], known: Known, visible: Set[str]) -> Iterator[str]:
    """Yield what is wrong with the keys that a node declares, refers to, and waits for. `visible` are those of then."""
    yield from _declared(node, known)
    for path, _, value in walk(node.args, f"{node.path}.args"):
        reference = parse(value) if isinstance(value, str) else None
        if reference is not None and reference.name not in visible:
            yield f"{path}: {_why_unknown(reference.name, node, nodes, visible)}"
    yield from _awaited(node, known, visible)


def _declared(node: Node, known: Known) -> Iterator[str]:
    if node.predicate not in ASKING:
        return
    asked = node.args.get("key")
    if asked is not None and asked != node.key:
        yield f"{node.path}.args.key: must be the evidence_key, {node.key!r}; got {str(asked)[:100]!r}"
    if node.predicate == Predicate.GATHER_INFO and not node.key:
        yield f"{node.path}.args.key: gather_info needs the key of its answer"
    if node.predicate == Predicate.CONFIRM and node.key in known.keys and not known.reviewed:
        yield f"{node.path}.evidence_key: {node.key!r} was answered before; a confirmation needs a key of its own"


def _why_unknown(name: str, node: Node, nodes: Sequence[Node], visible: Set[str]) -> str:
    maker = next((other for other in nodes if name in other.made), None)
    if maker is None:
        return f"@{name} is not known and no earlier step makes it; known there: {listed(visible)}"
    if maker is node:
        return f"@{name} is what this very step makes; known there: {listed(visible)}"
    if "depends_on" in node.raw or node.path.startswith("subgoals"):
        return f"@{name} is used before it is made: {maker.path} makes it, and this one does not depend on it"
    return f"@{name} is used before it is made, by {maker.path}; known there: {listed(visible)}"


def _awaited(node: Node, known: Known, visible: Set[str]) -> Iterator[str]:
    """A condition on evidence must be one that the node's own work brings about."""
    mine = node.made | known.keys
    for path, condition in node.conditions:
        key = condition.get("key")
        if condition.get("kind") != "has_evidence" or not isinstance(key, str):
            continue
        if key not in visible | node.made and node.predicate != Predicate.COMPOSITE:
            makes = listed(node.made) if node.made else "nothing under a key"
            yield f"{path}.key: nothing makes {key!r}: this step makes {makes}; known there: {listed(visible)}"
    needed = node.needed
    if needed and len(needed) == len(node.conditions) and all(key in visible - mine for key in needed):
        yield f"{node.path}.done_when: holds before the step begins, by what earlier steps make; name what it makes"
