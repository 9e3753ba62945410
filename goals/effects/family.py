"""What subgoals know of one another's work: dependencies, what earlier plans left behind, what failed before.

Results flow from what a node, or a node above it, waited for; and what was achieved in a plan that failed is real, so
it flows into the plan that replaced it.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from goals.loop import Picture
from goals.models import Subgoal
from goals.results import cut, text_of
from goals.states import Decomposition, SubgoalStatus
from goals.tools.text import shorten

MOST_TOLD = 30
LONGEST_FAILURE = 1_000


def needed_by(picture: Picture, subgoal: Subgoal) -> list[dict[str, Any]]:
    """Return the results that a subgoal builds on: nearest first, the oldest left out where there are too many."""
    found: dict[Any, Subgoal] = {}
    for node in up(picture, subgoal):
        waited_for = [picture.subgoals[n] for n in picture.depends_on.get(node.pk, ()) if n in picture.subgoals]
        parent = picture.subgoals.get(node.parent_id)
        kept = _kept(picture, parent) if parent is not None else []
        found.update({s.pk: s for s in (*_in_order(waited_for), *kept) if s.pk not in found})
    return [_told(node) for node in found.values() if node.status == SubgoalStatus.ACHIEVED][:MOST_TOLD]


def tried(picture: Picture, subgoal: Subgoal) -> list[dict[str, Any]]:
    """Return what became of the children of a subgoal's earlier plans."""
    past = [child for child in _children(picture, subgoal) if child.plan <= subgoal.replans]
    return [_told(child, with_failure=True) for child in past[-MOST_TOLD:]]


def contributors(picture: Picture, subgoal: Subgoal) -> list[Subgoal]:
    """Return the children whose results are joined: those of the present plan, and what earlier ones achieved."""
    present = [child for child in _children(picture, subgoal) if child.plan == subgoal.replans + 1]
    return [*_kept(picture, subgoal), *present]


def is_fallback(picture: Picture, subgoal: Subgoal) -> bool:
    """Whether a subgoal is, or is part of, an alternative that was opened because another one failed."""
    return any(_alternatives_before(picture, node) for node in up(picture, subgoal))


def _alternatives_before(picture: Picture, node: Subgoal) -> list[Subgoal]:
    parent = picture.subgoals.get(node.parent_id)
    if parent is None or parent.decomposition != Decomposition.OR:
        return []
    children = _children(picture, parent)
    return [other for other in children if other.plan == node.plan and other.position < node.position]


def _told(node: Subgoal, *, with_failure: bool = False) -> dict[str, Any]:
    names = [name for name in (node.evidence_key, *(output["name"] for output in node.outputs)) if name]
    told = {"gloss": shorten(node.gloss, 500), "result": text_of(node), "artifacts": [f"@{name}" for name in names]}
    if not with_failure:
        return told
    return {
        **told,
        "status": str(node.status),
        "failure": cut((node.failure or {}).get("message", ""), LONGEST_FAILURE),
    }


def _kept(picture: Picture, parent: Subgoal) -> list[Subgoal]:
    children = [child for child in _children(picture, parent) if child.plan <= parent.replans]
    return [child for child in children if child.status == SubgoalStatus.ACHIEVED]


def _children(picture: Picture, parent: Subgoal) -> list[Subgoal]:
    # Another thread may add children meanwhile: what is looked through is a copy.
    return _in_order(child for child in list(picture.subgoals.values()) if child.parent_id == parent.pk)


def _in_order(nodes: Iterable[Subgoal]) -> list[Subgoal]:
    return sorted(nodes, key=lambda node: node.position)


def up(picture: Picture, subgoal: Subgoal) -> Iterator[Subgoal]:
    """Yield a subgoal and those above it."""
    node: Subgoal | None = subgoal
    while node is not None:
        yield node
        node = picture.subgoals.get(node.parent_id)
