"""The steps of a goal's plan as they are shown: those of the plan in hand, and apart from them what earlier plans left.

A checkpoint's tree is that of its latest round, and in it each node's children of its latest plan; the rest is past.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from goals.chat.amounts import duration
from goals.models import Checkpoint, Goal, Subgoal
from goals.states import CheckpointStatus, SubgoalStatus

MOST_STEPS = 200
MOST_SUBGOALS = 300
LONGEST_PROOF = 300
C = CheckpointStatus


@dataclass
class Node:
    """A subgoal with its children, and `past`: those of plans that were given up."""

    row: Subgoal
    children: list["Node"] = field(default_factory=list)
    past: list["Node"] = field(default_factory=list)

    @property
    def can_be_edited(self) -> bool:
        row = self.row
        return row.status == SubgoalStatus.PENDING and row.started_at is None and row.parent_id is not None


@dataclass
class Step:
    """A checkpoint: its number in the plan, its tree by the root, and the trees of earlier rounds, oldest first."""

    row: Checkpoint
    number: int
    root: Node | None = None
    rounds: list[Node] = field(default_factory=list)

    @property
    def took(self) -> str:
        row = self.row
        if row.started_at is None or row.finished_at is None or row.status != C.COMPLETED:
            return ""
        return duration(max(0.1, (row.finished_at - row.started_at).total_seconds()))

    @property
    def proof(self) -> str:
        return self.row.proof.reason[:LONGEST_PROOF] if self.row.proof is not None else ""


@dataclass(frozen=True)
class Plan:
    """The steps in hand, and those of earlier plans and rounds."""

    steps: list[Step]
    earlier: list[Step]

    @property
    def numbers(self) -> dict[Any, int]:
        return {step.row.pk: step.number for step in self.steps}

    @property
    def done(self) -> int:
        return sum(step.row.status == C.COMPLETED for step in self.steps)

    @property
    def total(self) -> int:
        """Without the steps that a person has left out."""
        return sum(step.row.status != C.SKIPPED or not step.row.failure for step in self.steps)


def plan_of(goal: Goal) -> Plan:
    """Return a goal's steps; the steps that are being worked on, or failed, have their trees."""
    latest = goal.checkpoints.select_related("proof").order_by("-position")[:MOST_STEPS]
    rows = list(latest)[::-1]
    present = [row for row in rows if not is_past(goal, row)]
    steps = [Step(row, number) for number, row in enumerate(present, 1)]
    earlier = [Step(row, 0) for row in rows if is_past(goal, row)]
    grow([step for step in steps if step.row.status in {C.ACTIVE, C.FAILED}])
    return Plan(steps, earlier)


def is_past(goal: Goal, row: Checkpoint) -> bool:
    """Whether a step belongs to an earlier round, or was given up for another plan."""
    if row.iteration < goal.iteration:
        return True
    return row.revision < goal.revision and row.status in {C.FAILED, C.SKIPPED}


def grow(steps: list[Step]) -> None:
    """Read the trees of steps: one query, bounded."""
    if not steps:
        return
    found = Subgoal.objects.filter(checkpoint__in=[step.row.pk for step in steps])
    trees: dict[Any, dict[int, list[Subgoal]]] = defaultdict(lambda: defaultdict(list))
    for row in found.order_by("-round", "depth", "position")[:MOST_SUBGOALS]:
        trees[row.checkpoint_id][row.round].append(row)
    for step in steps:
        roots = [_tree(rows) for _, rows in sorted(trees[step.row.pk].items())]
        step.rounds = [root for root in roots if root is not None]
        step.root = step.rounds.pop() if step.rounds else None


def _tree(rows: Iterable[Subgoal]) -> Node | None:
    """Return the root of one round with what is under it."""
    nodes = {row.pk: Node(row) for row in rows}
    for node in sorted(nodes.values(), key=lambda node: (node.row.depth, node.row.position)):
        parent = nodes.get(node.row.parent_id)
        if parent is not None:
            (parent.past if node.row.plan <= parent.row.replans else parent.children).append(node)
    return next((node for node in nodes.values() if node.row.parent_id is None), None)
