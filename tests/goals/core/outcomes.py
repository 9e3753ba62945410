"""What may come back of an effect, drawn by dice: success, failure of every kind, refusal, questions, verdicts.

With `kind=True` everything that can go well does, so that a run comes to its end.
"""

from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

from goals.decisions import Action, Failure, FailureKind, Move, Perform
from goals.progress import Evaluation, next_streak
from goals.states import Begun, Decomposition, GoalStatus, Kind, Predicate, Verdict
from goals.tree import CheckpointView, Condition, Node
from tests.goals.core.build import C, S, after, has, true
from tests.goals.core.simulator import Call, Outcome, Simulator, kind_of


class Outcomes:
    """Draws outcomes for one simulator."""

    def __init__(self, simulator: Simulator, dice: Random, *, kind: bool = False) -> None:
        self.simulator = simulator
        self.dice = dice
        self.kind = kind
        self._ids = len(simulator.journal) * 100

    def call(self, perform: Perform) -> Call:
        outcome = replace(getattr(self, f"_{perform.action}")(perform), seconds=self._seconds())
        return Call(perform, self.simulator.attempt_of(perform), outcome)

    # -- dice ------------------------------------------------------------------------------------------------

    def _chance(self, percent: int) -> bool:
        """Something that goes wrong or wild: never when kind."""
        return not self.kind and self.dice.randrange(100) < percent

    def _seconds(self) -> float:
        return float(self.dice.randrange(0, 300)) if self._chance(40) else 0.0

    def _id(self, letter: str) -> str:
        self._ids += 1
        return f"{letter}{len(self.simulator.journal)}.{self._ids}"

    # -- facts -----------------------------------------------------------------------------------------------

    def _facts(self, perform: Perform, to: str | None = None, **facts: Any) -> Outcome:
        kind = kind_of(perform)
        status = self.simulator._row(perform).status
        return Outcome((Move(kind, perform.target, status, to, facts),))

    def _goal_failed(self, kind: FailureKind = FailureKind.MODEL) -> Outcome:
        goal = self.simulator.snapshot.goal
        failure = Failure(kind, "the endpoint is down", retryable=not self._chance(20))
        return Outcome((Move(Kind.GOAL, goal.id, goal.status, None, {"failure": failure}),))

    def _failed(self, perform: Perform, *kinds: FailureKind) -> Outcome:
        kind = self.dice.choice([*kinds, FailureKind.MODEL])
        wait = self.dice.choice([None, None, 60.0])
        return self._facts(perform, failure=Failure(kind, "it broke", retryable=not self._chance(20), retry_after=wait))

    def _done(self, perform: Perform) -> Outcome:
        """The work has a result, and mostly leaves the evidence that its step declared."""
        wanted = {c.key for c in self.simulator.snapshot.node(perform.target).done_when if c.kind == "has_evidence"}
        left = frozenset() if self._chance(15) else frozenset(wanted)
        return replace(self._facts(perform, worked=True), evidence=left)

    # -- nodes -----------------------------------------------------------------------------------------------

    def _use_tool(self, perform: Perform) -> Outcome:
        if self._chance(8):
            return self._failed(perform, FailureKind.MISSING_TOOL)
        if self._chance(10):
            return self._ask(perform)
        return self._failed(perform, FailureKind.TOOL, FailureKind.INPUT) if self._chance(25) else self._done(perform)

    def _act(self, perform: Perform) -> Outcome:
        kinds = (FailureKind.NOT_DONE, FailureKind.NOT_DONE, FailureKind.UNACHIEVABLE)
        return self._failed(perform, *kinds) if self._chance(25) else self._done(perform)

    def _ask(self, perform: Perform) -> Outcome:
        if self._chance(10):
            return self._failed(perform)
        asked = {"asked": True, "reminded": False, "must_answer": "May I?" if self._chance(40) else ""}
        return self._facts(perform, S.WAITING, **asked, wake_at=self.simulator.now + timedelta(hours=4))

    def _remind(self, perform: Perform) -> Outcome:
        must = self.simulator.snapshot.node(perform.target).must_answer
        return self._facts(perform, reminded=True, wake_at=self.simulator.now + timedelta(days=1) if must else None)

    def _present(self, perform: Perform) -> Outcome:
        return self._failed(perform) if self._chance(5) else self._done(perform)

    def _aggregate(self, perform: Perform) -> Outcome:
        return self._failed(perform) if self._chance(10) else self._done(perform)

    def _check(self, perform: Perform) -> Outcome:
        return self._failed(perform, FailureKind.CONDITION) if self._chance(30) else self._facts(perform, checked=True)

    def _atomize(self, perform: Perform) -> Outcome:
        if self._chance(5):
            return self._failed(perform)
        return self._facts(perform, atomized="plan" if self._chance(70) else "execute")

    def _decompose(self, perform: Perform) -> Outcome:
        if self._chance(10):
            return self._failed(perform, FailureKind.PLAN, FailureKind.CHILD)
        parent = self.simulator.snapshot.node(perform.target)
        first = sum(node.parent == parent.id for node in self.simulator.snapshot.nodes)
        children: list[Node] = []
        for position in range(first, first + self.dice.randint(1, 3)):
            needs = frozenset(child.id for child in children if self._chance(40))
            drawn = replace(self._node(self._id("n"), depth=parent.depth + 1), plan=parent.replans + 1)
            children.append(replace(drawn, parent=parent.id, position=position, depends_on=needs))
        decomposition = self.dice.choice(list(Decomposition))
        return replace(self._facts(perform, decomposition=decomposition), nodes=tuple(children))

    def _node(self, name: str, depth: int = 0) -> Node:
        predicate = self.dice.choice([*Predicate, Predicate.COMPOSITE, Predicate.USE_TOOL])
        return Node(id=name, predicate=predicate, depth=depth, done_when=self._conditions(name))

    def _conditions(self, name: str) -> tuple[Condition, ...]:
        known = sorted(self.simulator.snapshot.evidence)
        key = self.dice.choice(known) if known and self._chance(10) else f"key of {name}"
        soon = self.simulator.now + timedelta(seconds=self.dice.randrange(-50, 500))
        choices = [(), (), (has(key),), (has(key),), (true(),), (has(key), true()), (after(soon),)]
        return self.dice.choice(choices)

    # -- checkpoints -----------------------------------------------------------------------------------------

    def _verify_checkpoint(self, perform: Perform) -> Outcome:
        if self._chance(5):
            return self._goal_failed()
        verdict = self._verdict()
        return self._facts(perform, verdict=verdict, failure="" if verdict == Verdict.MET else "not good enough")

    def _verdict(self) -> Verdict:
        return (Verdict.UNMET if self._chance(85) else Verdict.BROKEN) if self._chance(35) else Verdict.MET

    def _checkpoints(self, least: int) -> tuple[tuple[CheckpointView, ...], dict[Any, Node]]:
        first = len(self.simulator.snapshot.checkpoints)
        ids = [self._id("c") for _ in range(self.dice.randint(least, 3))]
        views = tuple(
            CheckpointView(id=name, position=first + place, says_something_new=self._chance(50), begun=Begun.NOTHING)
            for place, name in enumerate(ids)
        )
        return views, {name: self._node(name) for name in ids}

    # -- the goal --------------------------------------------------------------------------------------------

    def _preflight(self, perform: Perform) -> Outcome:
        if self._chance(10):
            return self._goal_failed(FailureKind.VERIFIER)
        met = {"verdict": Verdict.MET, "verdict_reason": "already"} if self._chance(10) else {}
        return self._facts(perform, preflight_due=False, **met)

    def _plan(self, perform: Perform) -> Outcome:
        if self._chance(15):
            return self._goal_failed(self.dice.choice([FailureKind.MODEL, FailureKind.MODEL, FailureKind.PLAN]))
        return self._proposed(perform) if self.simulator.plan_approval else self._planned(plan_due=False, attempt=1)

    def _proposed(self, perform: Perform) -> Outcome:
        """A plan that waits for its owner; its checkpoints come with the answer."""
        soon = self.simulator.now + timedelta(hours=4)
        return self._facts(perform, plan_asked=True, plan_reminded=False, plan_wake_at=soon, attempt=1)

    def _remind_of_plan(self, perform: Perform) -> Outcome:
        return self._facts(perform, plan_reminded=True, plan_wake_at=self.simulator.now + timedelta(days=1))

    def approved(self, to: GoalStatus | None) -> Outcome:
        """What a person's yes to a plan writes: a first plan, or one in place of what is pending."""
        facts = {"plan_asked": False, "plan_wake_at": None}
        if self.simulator.snapshot.goal.plan_due:
            return self._planned(to, plan_due=False, **facts)
        return self._revised(to, **facts)

    def _planned(self, to: GoalStatus | None = None, **facts: Any) -> Outcome:
        goal = self.simulator.snapshot.goal
        views, roots = self._checkpoints(1)
        return Outcome((Move(Kind.GOAL, goal.id, goal.status, to, facts),), checkpoints=views, roots=roots)

    def _revised(self, to: GoalStatus | None = None, **facts: Any) -> Outcome:
        goal = self.simulator.snapshot.goal
        skipped = tuple(
            Move(Kind.CHECKPOINT, c.id, c.status, C.SKIPPED, {}, "checkpoint.skipped")
            for c in self.simulator.snapshot.checkpoints
            if c.status == C.PENDING
        )
        views, roots = self._checkpoints(0)
        all_facts = {**self._heard(), **facts}
        return Outcome((*skipped, Move(Kind.GOAL, goal.id, goal.status, to, all_facts)), checkpoints=views, roots=roots)

    def _heard(self) -> dict[str, Any]:
        goal = self.simulator.snapshot.goal
        return {"revise_reason": "", "revision": goal.revision + 1, "attempt": 1, "words_heard": goal.words}

    def _revise(self, perform: Perform) -> Outcome:
        if self._chance(10):
            return self._goal_failed()
        if self._chance(15):
            return self._facts(perform, **self._heard(), unachievable="it cannot be done")
        return self._proposed(perform) if self.simulator.plan_approval else self._revised()

    def _evaluate(self, perform: Perform) -> Outcome:
        if self._chance(10):
            return self._goal_failed()
        goal = self.simulator.snapshot.goal
        asked = goal.has_unheard_words
        seen = Evaluation(on_track=not self._chance(60), revise=self._chance(60), score=0.5, asked=asked)
        more = {"revise_reason": "off track", "unachievable": ""} if seen.revise else {}
        if seen.revise and asked:
            more["asked_revisions"] = goal.asked_revisions + 1
        streak = next_streak(goal.revise_streak, seen)
        heard = {"words_heard": goal.words, "since_evaluation": 0, "attempt": 1}
        return self._facts(perform, revise_streak=streak, **heard, **more)

    def _summarise(self, perform: Perform) -> Outcome:
        return self._goal_failed() if self._chance(10) else self._facts(perform, summary_due=False, attempt=1)

    def _verify_goal(self, perform: Perform) -> Outcome:
        if self._chance(10):
            return self._goal_failed()
        goal, verdict = self.simulator.snapshot.goal, self._verdict()
        repeats = goal.repeats + 1 if self._chance(50) else 1
        facts = {"repeats": 0 if verdict == Verdict.MET else repeats, "verdict_reason": f"it is {verdict}"}
        return self._facts(perform, verdict=verdict, attempt=1, **facts)

    def _look(self, perform: Perform) -> Outcome:
        return self._verify_goal(perform)


assert all(hasattr(Outcomes, f"_{action}") for action in Action)
