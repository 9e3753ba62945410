"""Random trees with random outcomes, people and clocks: every rule of the engine holds on the way, and it ends.

Outcomes are drawn when an effect begins and recorded when it ends, so they arrive in any order, late or never.
"""

import random
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from goals.engine import settle
from goals.states import GoalStatus, Mode, PauseReason
from goals.tree import Limits, WatchView
from tests.goals.core import people
from tests.goals.core.build import NOW
from tests.goals.core.outcomes import Outcomes
from tests.goals.core.simulator import Call, Simulator

G = GoalStatus
BOUND = 3000
LIVE = {G.PLANNING, G.ACTIVE, G.WAITING}
dice_of = st.randoms(use_true_random=False)
limits_of = st.builds(
    Limits,
    parallel=st.integers(1, 4),
    max_depth=st.integers(0, 2),
    retries=st.integers(0, 2),
    replans=st.integers(0, 2),
    checkpoint_attempts=st.integers(1, 3),
    iterations=st.integers(1, 3),
    revisions=st.integers(0, 6),
    no_progress=st.integers(1, 3),
    evaluate_every=st.integers(1, 2),
)


def go_on(simulator: Simulator, dice: random.Random, *, kind: bool) -> None:
    """Do the one thing that the goal waits for: an effect, an answer, a person's resume, or its time."""
    status = simulator.snapshot.goal.status
    if simulator.offered:
        simulator.record(Outcomes(simulator, dice, kind=kind).call(dice.choice(simulator.offered)))
    elif status == G.PAUSED:
        people.mend(simulator)
        people.resume(simulator)
    elif simulator.snapshot.goal.plan_asked and (kind or dice.random() < 0.6):
        people.answer_plan(simulator, dice, yes=kind or dice.random() < 0.7)
    elif people.asked(simulator):
        people.answer(simulator, dice.choice(people.asked(simulator)), yes=kind or dice.random() < 0.8)
    else:
        wake_at = simulator.snapshot.goal.wake_at or simulator.now  # a plan that was reminded of has none
        simulator.tick(max(0.0, (wake_at - simulator.now).total_seconds()))


def bring_to_an_end(simulator: Simulator, dice: random.Random, bound: int = BOUND) -> None:
    """Let everything go well from here on: the goal must end, within a bounded number of steps."""
    for _ in range(bound):
        if simulator.is_ended:
            return
        go_on(simulator, dice, kind=True)
    raise AssertionError(f"the goal has not ended after {bound} steps: {simulator.snapshot}")


class RandomGoals(RuleBasedStateMachine):
    simulator: Simulator

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []

    @initialize(limits=limits_of, preflight=st.booleans(), plan_approval=st.booleans())
    def submit(self, limits: Limits, preflight: bool, plan_approval: bool) -> None:
        self.simulator = Simulator(limits, preflight_due=preflight, plan_approval=plan_approval)

    def _idle(self) -> list:
        busy = {call.perform.target for call in self.calls}
        return [perform for perform in self.simulator.offered if perform.target not in busy]

    # -- effects

    @precondition(lambda self: self._idle())
    @rule(dice=dice_of)
    def effect_begins(self, dice):
        self.calls.append(Outcomes(self.simulator, dice).call(dice.choice(self._idle())))

    @precondition(lambda self: self.calls)
    @rule(dice=dice_of)
    def effect_ends(self, dice):
        call = self.calls.pop(dice.randrange(len(self.calls)))
        before = self.simulator.snapshot
        if not self.simulator.record(call):
            assert self.simulator.snapshot == before, "a late outcome moves no state"

    @precondition(lambda self: hasattr(self, "simulator") and not self.simulator.is_ended)
    @rule(dice=dice_of, steps=st.integers(1, 12))
    def work_goes_on(self, dice, steps):
        for _ in range(steps):
            if not self.simulator.is_ended and not self.calls:
                go_on(self.simulator, dice, kind=False)

    @precondition(lambda self: self.calls)
    @rule()
    def the_worker_crashes(self):
        offered = {call.perform for call in self.calls if call.perform in self.simulator.offered}
        self.calls.clear()
        snapshot, moves, decisions = settle(self.simulator.snapshot, self.simulator.now)
        assert (snapshot, moves) == (self.simulator.snapshot, [])
        assert offered <= set(decisions), "what was in hand is issued again"

    # -- time and people

    @rule(seconds=st.sampled_from([0.1, 1.0, 30.0, 600.0, 100_000.0]))
    def time_passes(self, seconds):
        self.simulator.tick(seconds)

    @precondition(lambda self: people.asked(self.simulator))
    @rule(dice=dice_of, yes=st.booleans())
    def a_person_answers(self, dice, yes):
        people.answer(self.simulator, dice.choice(people.asked(self.simulator)), yes=yes)

    @precondition(lambda self: self.simulator.snapshot.goal.plan_asked and not self.simulator.is_ended)
    @rule(dice=dice_of, yes=st.booleans())
    def a_person_answers_about_the_plan(self, dice, yes):
        people.answer_plan(self.simulator, dice, yes=yes)

    @precondition(lambda self: self.simulator.snapshot.goal.status in LIVE)
    @rule(why=st.sampled_from(PauseReason))
    def a_person_pauses(self, why):
        people.pause(self.simulator, why)

    @precondition(lambda self: self.simulator.snapshot.goal.status == G.PAUSED)
    @rule()
    def a_person_resumes(self):
        people.resume(self.simulator)

    @precondition(lambda self: not self.simulator.is_ended)
    @rule(dice=dice_of)
    def a_person_cancels(self, dice):
        if dice.randrange(10) == 0:
            people.cancel(self.simulator)

    @precondition(lambda self: not self.simulator.is_ended)
    @rule()
    def a_person_speaks(self):
        people.speak(self.simulator)

    @precondition(lambda self: not self.simulator.is_ended)
    @rule()
    def a_person_wants_another_plan(self):
        people.revise(self.simulator)

    @precondition(lambda self: people.asked(self.simulator))
    @rule(dice=dice_of)
    def evidence_comes_from_elsewhere(self, dice):
        node = dice.choice(people.asked(self.simulator))
        for key in [c.key for c in node.done_when if c.kind == "has_evidence"]:
            people.add_evidence(self.simulator, key)

    @precondition(lambda self: not self.simulator.is_ended)
    @rule()
    def tools_are_mended(self):
        people.mend(self.simulator)

    # -- what holds

    @invariant()
    def an_ended_goal_leaves_nothing_open(self):
        if hasattr(self, "simulator") and self.simulator.is_ended:
            assert self.simulator.offered == ()
            assert self.simulator.snapshot.active is None
            assert self.simulator.snapshot.upcoming is None

    def teardown(self) -> None:
        if not hasattr(self, "simulator"):
            return
        bring_to_an_end(self.simulator, random.Random(0))
        ended = self.simulator.snapshot
        for call in self.calls:
            assert not self.simulator.record(call)
        self.simulator.tick(10**6)
        assert self.simulator.snapshot == ended, "an ended goal stays as it is"
        assert self.simulator.replayed().snapshot == ended, "the journal gives the same tree (rule 7)"


RandomGoals.TestCase.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
TestRandomGoals = RandomGoals.TestCase


@pytest.mark.parametrize("seed", range(150))
def test_a_goal_left_to_chance_ends_within_its_bounds(seed):
    dice = random.Random(seed)
    limits = Limits(
        parallel=dice.randint(1, 4),
        max_depth=dice.randint(0, 2),
        retries=dice.randint(0, 2),
        replans=dice.randint(0, 2),
        checkpoint_attempts=dice.randint(1, 3),
        iterations=dice.randint(1, 3),
        revisions=dice.randint(0, 6),
        evaluate_every=dice.randint(1, 2),
    )
    simulator = Simulator(limits, preflight_due=dice.random() < 0.5, plan_approval=seed % 3 == 0)
    for _ in range(BOUND):
        if simulator.is_ended:
            break
        go_on(simulator, dice, kind=False)
    bring_to_an_end(simulator, dice)
    assert simulator.replayed().snapshot == simulator.snapshot


@pytest.mark.parametrize("seed", range(20))
def test_a_monitor_left_to_chance_ends_by_its_verifier_or_its_deadline(seed):
    dice = random.Random(seed)
    deadline = NOW + timedelta(minutes=dice.randint(1, 9)) if seed % 2 else None
    simulator = Simulator(Limits(), mode=Mode.MONITOR, watch=WatchView(deadline=deadline))
    for _ in range(BOUND):
        if simulator.is_ended:
            break
        go_on(simulator, dice, kind=False)
    assert simulator.snapshot.goal.outcome in {"achieved", "exhausted"}
    assert deadline is None or simulator.now <= deadline + timedelta(minutes=10)


@given(dice=dice_of, plan_approval=st.booleans())
@settings(max_examples=30, deadline=None)
def test_a_goal_that_only_meets_luck_is_achieved(dice, plan_approval):
    simulator = Simulator(Limits(), plan_approval=plan_approval)
    bring_to_an_end(simulator, dice, bound=200)
    assert simulator.snapshot.goal.outcome == "achieved"
