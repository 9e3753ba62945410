"""Children of a composite subgoal on their way to rows, whoever planned them."""

from collections.abc import Sequence
from typing import Any

from goals.driver import Drive
from goals.models import Subgoal
from goals.states import Decomposition
from goals.transitions import Writer

Edges = list[tuple[Subgoal, Subgoal]]


def first_position(drive: Drive, parent: Subgoal) -> int:
    """Return where a plan's children begin: after those of the plans before it."""
    return sum(child.parent_id == parent.pk for child in list(drive.picture.subgoals.values()))


def write(
    drive: Drive,
    writer: Writer,
    parent: Subgoal,
    children: Sequence[Subgoal],
    edges: Edges,
    decomposition: Decomposition,
    **about: Any,
) -> None:
    """Write the children with what each waits for, and the event that says which plan this is and why it was made."""
    Subgoal.objects.bulk_create(children)
    through = Subgoal.depends_on.through
    through.objects.bulk_create(through(from_subgoal=child, to_subgoal=other) for child, other in edges)
    writer.facts(parent, decomposition=decomposition)
    writer.know(*children)
    drive.add_children(list(children), edges)
    listed = [{"subgoal": str(c.pk), "gloss": c.gloss[:300], "predicate": str(c.predicate)} for c in children]
    reason = parent.previous_failure[:2000] if parent.replans else ""
    which = {"subgoal": str(parent.pk), "plan": parent.replans + 1, "reason": reason}
    writer.event("subgoal.expanded", {**which, "decomposition": decomposition.value, "children": listed, **about})
