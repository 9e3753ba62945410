"""The tests' own shell: it carries decisions out on snapshots as the real one does on rows, with no I/O.

What comes back of an effect is an `Outcome`; what a person does is a list of moves. Both are written to a journal, so
that a run can be replayed without drawing anything again.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from goals.decisions import Action, Move, Perform, Spawn
from goals.states import Begun, CheckpointStatus, GoalStatus, Kind, SubgoalStatus, is_terminal
from goals.tree import CheckpointView, GoalView, Limits, Node, Snapshot, apply
from tests.goals.core import invariants
from tests.goals.core.build import NOW

S, C, G = SubgoalStatus, CheckpointStatus, GoalStatus
GOAL_ACTIONS = {
    Action.PREFLIGHT,
    Action.PLAN,
    Action.REVISE,
    Action.EVALUATE,
    Action.SUMMARISE,
    Action.VERIFY_GOAL,
    Action.LOOK,
    Action.REMIND_OF_PLAN,
}


@dataclass(frozen=True)
class Outcome:
    """What one effect brought: facts on rows, new rows, new evidence, and the driven seconds it took."""

    moves: tuple[Move, ...] = ()
    nodes: tuple[Node, ...] = ()
    checkpoints: tuple[CheckpointView, ...] = ()
    roots: Mapping[Hashable, Node] = field(default_factory=dict)
    evidence: frozenset[str] = frozenset()
    seconds: float = 0.0


@dataclass(frozen=True)
class Call:
    """An effect in flight: it remembers the attempt it was made for."""

    perform: Perform
    attempt: int
    outcome: Outcome


class Simulator:
    """One goal, its clock and its journal. After every act the picture has settled and `offered` is what may run."""

    def __init__(self, limits: Limits, *, now: datetime = NOW, plan_approval: bool = False, **goal_facts: Any) -> None:
        self.plan_approval = plan_approval
        self.snapshot = Snapshot(GoalView(id="goal", **goal_facts), limits=limits)
        self.now = now
        self.roots: dict[Hashable, Node] = {}
        self.offered: tuple[Perform, ...] = ()
        self.journal: list[tuple[str, tuple[Any, ...]]] = []
        self.moves: list[Move] = []
        self._spawned = 0
        self._origin = (limits, goal_facts)
        self._settle()

    # -- what happens ----------------------------------------------------------------------------------------

    @property
    def is_ended(self) -> bool:
        return self.snapshot.goal.is_terminal

    def tick(self, seconds: float) -> None:
        """Let time pass."""
        self.journal.append(("tick", (seconds,)))
        self.now += timedelta(seconds=seconds)
        self._settle()

    def person(self, *moves: Move, evidence: frozenset[str] = frozenset()) -> None:
        """Make the moves of a person's act, in one transaction, whoever drives the goal."""
        self.journal.append(("person", moves))
        if evidence:
            self.journal[-1] = ("learn", (evidence, *moves))
        self.snapshot = replace(self.snapshot, evidence=self.snapshot.evidence | evidence)
        for move in moves:
            self._make(move)
        self._settle()

    def learn(self, evidence: frozenset[str], *moves: Move) -> None:
        self.person(*moves, evidence=evidence)

    def approve(self, outcome: Outcome) -> None:
        """Write the plan that a person has approved of."""
        self.journal.append(("approve", (outcome,)))
        self._add(outcome)
        for move in outcome.moves:
            self._make(move)
        self._settle()

    def attempt_of(self, perform: Perform) -> int:
        kind = kind_of(perform)
        if kind is Kind.CHECKPOINT:
            return self._row(perform).attempts
        return self._row(perform).attempts if kind is Kind.SUBGOAL else 0

    def record(self, call: Call) -> bool:
        """Record what came back. A late outcome, of a row or a goal that has ended, moves no state."""
        self.journal.append(("record", (call,)))
        if self.is_ended or not self._is_current(call):
            return False
        outcome = call.outcome
        self._add(outcome)
        self._note_begun(call)
        for move in (*self._spent(outcome.seconds), *outcome.moves):
            self._make(self._rebased(move))
        self._settle()
        return True

    def replayed(self) -> "Simulator":
        """Return a run of the same journal from the beginning, in which nothing is decided but by the engine."""
        limits, goal_facts = self._origin
        again = Simulator(limits, **goal_facts)
        for name, args in self.journal:
            getattr(again, name)(*args)
        return again

    # -- how it is written -----------------------------------------------------------------------------------

    def _add(self, outcome: Outcome) -> None:
        found = self.snapshot
        self.snapshot = replace(
            found,
            nodes=found.nodes + outcome.nodes,
            checkpoints=found.checkpoints + outcome.checkpoints,
            evidence=found.evidence | outcome.evidence,
        )
        self.roots.update(outcome.roots)

    def _row(self, perform: Perform) -> Any:
        return invariants.row_of(self.snapshot, kind_of(perform), perform.target)

    def _is_current(self, call: Call) -> bool:
        kind, goal = kind_of(call.perform), self.snapshot.goal
        if call.perform.action == Action.REMIND_OF_PLAN and not goal.plan_asked:
            return False
        ids = {Kind.CHECKPOINT: self.snapshot.checkpoints, Kind.SUBGOAL: self.snapshot.nodes}.get(kind)
        if ids is not None and call.perform.target not in {row.id for row in ids}:
            return False
        row = self._row(call.perform)
        if is_terminal(kind, row.status) or self.attempt_of(call.perform) != call.attempt:
            return False
        return kind is Kind.GOAL or row.status == ("waiting" if call.perform.action == Action.REMIND else "active")

    def _rebased(self, move: Move) -> Move:
        """Facts land on their row wherever a person has brought it meanwhile."""
        row = invariants.row_of(self.snapshot, move.kind, move.id)
        return move if move.to is not None else replace(move, before=row.status)

    def _spent(self, seconds: float) -> tuple[Move, ...]:
        active = self.snapshot.active
        if active is None or not seconds:
            return ()
        return (Move(Kind.CHECKPOINT, active.id, active.status, None, {"seconds": active.seconds + seconds}),)

    def _note_begun(self, call: Call) -> None:
        """Tools reach outside here, everything else of a tree stays inside."""
        active = self.snapshot.active
        if kind_of(call.perform) is Kind.SUBGOAL and active is not None and active.begun != Begun.OUTSIDE:
            begun = Begun.OUTSIDE if call.perform.action == Action.USE_TOOL else Begun.INSIDE
            self._make(Move(Kind.CHECKPOINT, active.id, active.status, None, {"begun": begun}))

    def _make(self, move: Move) -> None:
        invariants.check_move(self.snapshot, move)
        self.moves.append(move)
        self.snapshot = apply(self.snapshot, move)
        if move.kind is Kind.GOAL and self.is_ended:
            self._close()
        if move.kind is Kind.CHECKPOINT and move.to is not None and move.to != C.ACTIVE:
            self.snapshot = replace(self.snapshot, nodes=())

    def _close(self) -> None:
        """An ended goal leaves nothing open."""
        for node in self.snapshot.nodes:
            if not node.is_terminal:
                self._make(Move(Kind.SUBGOAL, node.id, node.status, S.SKIPPED, {}, "subgoal.skipped"))
        for checkpoint in self.snapshot.checkpoints:
            if not is_terminal(Kind.CHECKPOINT, checkpoint.status):
                self._make(Move(Kind.CHECKPOINT, checkpoint.id, checkpoint.status, C.SKIPPED, {}, "checkpoint.skipped"))

    def _settle(self) -> None:
        for _ in range(1000):
            decisions = invariants.checked_decide(self.snapshot, self.now)
            steps = [decision for decision in decisions if not isinstance(decision, Perform)]
            if not steps:
                invariants.check_rest(self.snapshot, decisions, self.now)
                self.offered = decisions
                return
            for step in steps:
                self._spawn(step) if isinstance(step, Spawn) else self._make(step)
            invariants.check_picture(self.snapshot, self.now)
        raise AssertionError("the engine does not settle")

    def _spawn(self, spawn: Spawn) -> None:
        self._spawned += 1
        root = replace(self.roots[spawn.checkpoint], id=f"{spawn.checkpoint}/{self._spawned}")
        facts = {"attempts": spawn.attempt, "root": root.id, "verdict": "", "failure": spawn.reason, "seconds": 0.0}
        if self.snapshot.active.begun != Begun.OUTSIDE:
            facts["begun"] = Begun.NOTHING
        self._make(Move(Kind.CHECKPOINT, spawn.checkpoint, C.ACTIVE, None, facts))
        self.snapshot = replace(self.snapshot, nodes=(root,))


def kind_of(perform: Perform) -> Kind:
    if perform.action in GOAL_ACTIONS:
        return Kind.GOAL
    return Kind.CHECKPOINT if perform.action == Action.VERIFY_CHECKPOINT else Kind.SUBGOAL
