"""A frozen picture of a goal: what the engine looks at. Pure; only `loop.py` makes it from rows.

A snapshot is a window, not the history: the active checkpoint with the subgoals of its attempt in hand, and the
next pending one. So what a checkpoint costs does not grow with the checkpoints before it (DESIGN rule 9).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from goals.decisions import Failure, Id, Move
from goals.states import (
    Begun,
    CheckpointStatus,
    Decomposition,
    GoalStatus,
    Kind,
    Mode,
    Outcome,
    PauseReason,
    Predicate,
    SubgoalStatus,
    Verdict,
    WaitsFor,
    is_terminal,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """The goal defaults of DESIGN section 5, per goal."""

    parallel: int = 5
    max_depth: int = 3
    retries: int = 2
    replans: int = 1
    checkpoint_attempts: int = 3
    iterations: int = 8
    revisions: int = 5
    no_progress: int = 3
    evaluate_every: int = 2
    checkpoint_seconds: float = 600.0

    def seconds(self, attempt: int) -> float:
        """Return the time limit of attempt number `attempt` at a checkpoint: N times the base, at most four times."""
        return self.checkpoint_seconds * min(max(attempt, 1), 4)


@dataclass(frozen=True, slots=True)
class Condition:
    """One entry of `done_when`: `has_evidence` and `after` are decided here, the others by an effect."""

    kind: str
    key: str = ""
    at: datetime | None = None

    @property
    def is_machine(self) -> bool:
        return self.kind in {"has_evidence", "after"}

    def holds(self, evidence: frozenset[str], now: datetime) -> bool:
        if self.kind == "has_evidence":
            return self.key in evidence
        return self.kind == "after" and self.at is not None and self.at <= now


@dataclass(frozen=True, slots=True)
class Node:
    """A subgoal. `worked`: its work has a result; `checked`: what its judged conditions said in this attempt.

    `replans` counts how often its children were planned anew, `plan` says which of its parent's plans it belongs to.
    One that was asked about has a `wake_at` only for the sake of its question: to remind of it, or no longer to wait.
    `must_answer` says what was asked, where nothing but an answer will do.
    """

    id: Id
    predicate: Predicate
    status: SubgoalStatus = SubgoalStatus.PENDING
    parent: Id | None = None
    plan: int = 1
    replans: int = 0
    position: int = 0
    depth: int = 0
    decomposition: Decomposition = Decomposition.AND
    depends_on: frozenset[Id] = frozenset()
    done_when: tuple[Condition, ...] = ()
    attempts: int = 1
    wake_at: datetime | None = None
    asked: bool = False
    reminded: bool = False
    must_answer: str = ""
    atomized: str = ""
    worked: bool = False
    checked: bool | None = None
    failure: Failure | None = None

    @property
    def is_terminal(self) -> bool:
        return is_terminal(Kind.SUBGOAL, self.status)

    @property
    def is_asleep(self) -> bool:
        return self.status == SubgoalStatus.WAITING and self.wake_at is not None and not self.asked


@dataclass(frozen=True, slots=True)
class CheckpointView:
    """A checkpoint. `verdict` is the latest verification of the attempt in hand, `root` that attempt's root.

    `begun` is looked up only where it may matter (the goal is paused, or a person has said something): else it is
    taken to be as far as can be.
    """

    id: Id
    position: int
    status: CheckpointStatus = CheckpointStatus.PENDING
    attempts: int = 0
    root: Id | None = None
    verdict: Verdict | str = ""
    failure: str = ""
    seconds: float = 0.0
    says_something_new: bool = True
    yields: int = 0
    begun: Begun = Begun.OUTSIDE


@dataclass(frozen=True, slots=True)
class WatchView:
    """How a goal in monitor mode watches. `quiet`: its last look saw nothing new."""

    interval: float = 60.0
    deadline: datetime | None = None
    fired: int = 0
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class GoalView:
    """The goal's own facts; each is a column of its row. `words` counts what people said to steer it.

    `plan_asked` says that a plan waits for a person, `plan_wake_at` when its question is reminded of, or no longer
    waited for; `plan_reminded` is of the question's row.
    """

    id: Id
    status: GoalStatus = GoalStatus.PLANNING
    mode: Mode = Mode.DRIVE
    preflight_due: bool = False
    plan_due: bool = True
    plan_asked: bool = False
    plan_wake_at: datetime | None = None
    plan_reminded: bool = False
    revise_reason: str = ""
    summary_due: bool = False
    iteration: int = 1
    revision: int = 0
    asked_revisions: int = 0
    attempt: int = 1
    since_evaluation: int = 0
    revise_streak: int = 0
    dear_streak: int = 0
    words: int = 0
    words_heard: int = 0
    repeats: int = 0
    verdict: Verdict | str = ""
    verdict_reason: str = ""
    unachievable: str = ""
    failure: Failure | None = None
    wake_at: datetime | None = None
    waits_for: WaitsFor | str = ""
    paused_for: PauseReason | str = ""
    outcome: Outcome | str = ""
    reason: str = ""
    watch: WatchView = WatchView()

    @property
    def own_revisions(self) -> int:
        """How often the plan was revised without a person's asking: what the limit of revisions counts."""
        return self.revision - self.asked_revisions

    @property
    def is_terminal(self) -> bool:
        return is_terminal(Kind.GOAL, self.status)

    @property
    def has_unheard_words(self) -> bool:
        """Whether somebody has said something since the plan was last looked at."""
        return self.words > self.words_heard


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything `engine.decide` may look at."""

    goal: GoalView
    checkpoints: tuple[CheckpointView, ...] = ()
    nodes: tuple[Node, ...] = ()
    evidence: frozenset[str] = frozenset()
    limits: Limits = Limits()

    @property
    def active(self) -> CheckpointView | None:
        return next((c for c in self.checkpoints if c.status == CheckpointStatus.ACTIVE), None)

    @property
    def upcoming(self) -> CheckpointView | None:
        pending = [c for c in self.checkpoints if c.status == CheckpointStatus.PENDING]
        return min(pending, key=lambda c: c.position, default=None)

    def node(self, node_id: Id) -> Node:
        return next(n for n in self.nodes if n.id == node_id)

    def children(self, node_id: Id) -> list[Node]:
        """Return the children of a node's present plan; those of its earlier plans have ended."""
        plan = self.node(node_id).replans + 1
        return sorted((n for n in self.nodes if n.parent == node_id and n.plan == plan), key=lambda n: n.position)

    def under(self, node_id: Id) -> Iterator[Node]:
        """Yield the descendants of a node in the present plans, depth first."""
        for child in self.children(node_id):
            yield child
            yield from self.under(child.id)


def apply(snapshot: Snapshot, move: Move) -> Snapshot:
    """Return the snapshot after one move: the same change that `transitions.py` writes to the rows."""
    changes: dict[str, Any] = dict(move.facts)
    if move.to is not None:
        changes["status"] = move.to
    if move.kind is Kind.GOAL:
        return replace(snapshot, goal=replace(snapshot.goal, **_known(snapshot.goal, changes)))
    if move.kind is Kind.CHECKPOINT:
        if move.to == CheckpointStatus.PENDING:
            changes["root"] = None  # its next attempt gets a tree of its own
        return replace(snapshot, checkpoints=tuple(_changed(c, move.id, changes) for c in snapshot.checkpoints))
    return replace(snapshot, nodes=tuple(_changed(n, move.id, changes) for n in snapshot.nodes))


def _changed(row: Any, row_id: Id, changes: Mapping[str, Any]) -> Any:
    return replace(row, **_known(row, changes)) if row.id == row_id else row


def _known(row: Any, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the facts that the picture shows; a row has more columns than the engine looks at."""
    return {name: value for name, value in changes.items() if name in type(row).__dataclass_fields__}
