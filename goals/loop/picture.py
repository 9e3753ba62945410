"""A `Picture`: the window on one goal, which is what the engine looks at with the rows behind it.

It stays valid as long as the goal's `seq` does, since every change by somebody else writes an event; so a driver reads
the rows again only when somebody else has written.
"""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from goals import tree
from goals.loop.evidence import known_keys
from goals.loop.limits import limits_of
from goals.models import Checkpoint, Goal, Question, Subgoal, Watch
from goals.states import CheckpointStatus, Mode

AHEAD = 10  # pending checkpoints that are read at once
WINDOW = [CheckpointStatus.PENDING, CheckpointStatus.ACTIVE]


@dataclass
class Picture:
    """The window on one goal: its rows by id, and the goal's `seq` at which they were read."""

    goal: Goal
    seq: int = -1
    checkpoints: dict[UUID, Checkpoint] = field(default_factory=dict)
    subgoals: dict[UUID, Subgoal] = field(default_factory=dict)
    depends_on: dict[UUID, frozenset[UUID]] = field(default_factory=dict)
    evidence: frozenset[str] = frozenset()
    questions: dict[UUID, Question] = field(default_factory=dict)
    plan_question: Question | None = None
    watch: Watch | None = None
    limits: tree.Limits = field(init=False)

    def __post_init__(self) -> None:
        self.limits = limits_of(self.goal)

    @property
    def active(self) -> Checkpoint | None:
        return next((c for c in self.checkpoints.values() if c.status == CheckpointStatus.ACTIVE), None)


def load(goal: Goal) -> Picture:
    """Read the window: the active checkpoint, the next pending ones, the tree of the attempt in hand, its evidence."""
    picture = Picture(goal, goal.seq)
    if goal.plan_asked:
        picture.plan_question = Question.objects.open().about_plans_of(goal).first()
    if goal.mode == Mode.MONITOR:
        picture.watch = Watch.objects.get(goal=goal)
        return picture
    window = Checkpoint.objects.filter(goal=goal, status__in=WINDOW).order_by("position")[: AHEAD + 1]
    picture.checkpoints = {checkpoint.pk: checkpoint for checkpoint in window}
    active = picture.active
    if active is not None:
        rows = Subgoal.objects.filter(checkpoint=active, round=active.round)
        picture.subgoals = {subgoal.pk: subgoal for subgoal in rows}
        if len(picture.subgoals) > 1:
            picture.depends_on = _dependencies(picture)
        picture.evidence = known_keys(goal, active, picture.subgoals.values())
        asked = [subgoal for subgoal in picture.subgoals.values() if subgoal.asked]
        if asked:
            open_ones = Question.objects.open().filter(subgoal__in=asked)
            picture.questions = {question.subgoal_id: question for question in open_ones}
    return picture


def _dependencies(picture: Picture) -> dict[UUID, frozenset[UUID]]:
    found: dict[UUID, set[UUID]] = {}
    through = Subgoal.depends_on.through.objects.filter(from_subgoal_id__in=list(picture.subgoals))
    for row in through.values_list("from_subgoal_id", "to_subgoal_id"):
        found.setdefault(row[0], set()).add(row[1])
    return {node: frozenset(others) for node, others in found.items()}


def evidence_for(picture: Picture, subgoals: Any) -> frozenset[str]:
    """Return which keys of these subgoals are known."""
    return known_keys(picture.goal, picture.active, subgoals) if picture.active else frozenset()
