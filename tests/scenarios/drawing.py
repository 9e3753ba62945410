"""A goal's tree as lines of text: what a scenario expects is written in the same form, and read with the eyes."""

from collections.abc import Iterator

from goals.models import Checkpoint, Goal, Subgoal
from goals.states import Predicate


def draw(goal: Goal) -> str:
    """Return a line for each checkpoint and, indented, for each subgoal of each attempt, in their order."""
    lines = []
    for checkpoint in Checkpoint.objects.filter(goal=goal).order_by("position", "created_at"):
        lines.append(f"{checkpoint.title}: {checkpoint.status}")
        rows = list(Subgoal.objects.filter(checkpoint=checkpoint).order_by("round", "position", "created_at"))
        for root in (row for row in rows if row.parent_id is None):
            lines += [f"  {line}" for line in _below(root, rows)]
    return "\n".join(lines)


def _below(node: Subgoal, rows: list[Subgoal]) -> Iterator[str]:
    below = [row for row in rows if row.parent_id == node.pk]
    what = node.operation if node.predicate == Predicate.EXECUTE else str(node.predicate)
    if below:
        what = f"{what} {node.decomposition}"
    yield f"{what} {node.gloss!r}: {node.status}"
    for child in below:
        yield from (f"  {line}" for line in _below(child, rows))
