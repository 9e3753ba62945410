"""Intending, recording and acting people lock in one order, so that nobody waits in a circle."""

import threading
import uuid
from decimal import Decimal

import pytest
from django.db import connection

from goals import services
from goals.effects import journal, ledger
from goals.effects.journal import Outcome
from goals.exceptions import Interrupted, LeaseLost
from goals.management.commands.resume_goals import resume
from goals.models import Goal, ModelCall
from goals.states import EffectStatus, Resource
from goals.transitions import writing
from tests.goals import rules
from tests.goals.effects.meanwhile import until_somebody_waits
from tests.goals.effects.work import model_row, take

AMOUNTS = {Resource.MODEL_CALLS: Decimal(1), Resource.TOKENS: Decimal(100)}
DONE = Outcome(EffectStatus.SUCCEEDED, {}, used={Resource.MODEL_CALLS: Decimal(1), Resource.TOKENS: Decimal(50)})


def together(*works):
    """Run each on a thread with a connection of its own; returns what they raised."""
    raised = []

    def run(work):
        try:
            work()
        except Exception as error:
            raised.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return raised


def test_many_effects_of_one_goal_side_by_side_never_wait_in_a_circle(working):
    goal, epoch = working()

    def effects(name):
        def work():
            for number in range(25):
                row = journal.intend(goal, epoch, model_row(goal, f"{name}-{number}"), AMOUNTS).row
                with writing(goal.pk, epoch=epoch) as writer:
                    journal.record(writer, row, DONE)

        return work

    def limits():
        for _ in range(25):
            services.raise_limits(goal.owner, goal.pk, {"tokens": "+1000"})

    services.raise_limits(goal.owner, goal.pk, {"tokens": 100_000})
    assert together(*(effects(name) for name in "abcd"), limits) == []
    assert ModelCall.objects.filter(goal=goal, status="succeeded").count() == 100
    assert goal.budgets.get(resource="tokens").used == 5000
    assert rules.violations() == []


@pytest.mark.parametrize("change", ["cancel", "take over"])
def test_an_intent_that_waited_sees_the_goal_as_it_is_then(working, change):
    """Somebody holds the goal while the intent begins; what they do to it counts."""
    goal, epoch = working()
    raised = []
    held, begun = threading.Event(), threading.Event()

    def intend():
        held.wait(60)
        begun.set()
        journal.intend(goal, epoch, model_row(goal, "s"), AMOUNTS)

    def hold():
        with writing(goal.pk, actor=goal.owner) as writer:
            held.set()
            begun.wait(60)
            until_somebody_waits()
            if change == "cancel":
                writer.goal.status, writer.goal.finished_at = "cancelled", writer.now
                Goal.objects.filter(pk=goal.pk).update(status="cancelled", finished_at=writer.now)
            else:
                Goal.objects.filter(pk=goal.pk).update(lease_epoch=epoch + 1)

    raised = together(hold, intend)
    assert [type(error) for error in raised] == [Interrupted if change == "cancel" else LeaseLost]
    assert not ModelCall.objects.exists()
    assert not goal.budgets.exclude(reserved=0).exists()


def test_a_goal_and_its_fork_are_resumed_together_while_the_fork_is_driven(working):
    """The fork's driver holds the fork and wants the budget of both."""
    goal, _ = working(limits={"tokens": 1000})
    fork = services.fork(goal.owner, goal.pk)
    held = threading.Event()

    def drive():
        with writing(fork.pk):
            held.set()
            until_somebody_waits()
            ledger.settle(fork, {}, {Resource.TOKENS: Decimal(1)})

    def go_on():
        held.wait(60)
        resume(goal.owner, [goal.pk, fork.pk], {"tokens": "+1000"})

    assert together(drive, go_on) == []
    tokens = goal.budgets.get(resource="tokens")
    assert (tokens.used, tokens.limit) == (1, 2000)


def test_goals_are_resumed_side_by_side_in_any_order(working):
    one, _ = working(limits={"tokens": 1000})
    other, _ = working(limits={"tokens": 1000})
    goals = [one.pk, services.fork(other.owner, other.pk).pk, services.fork(one.owner, one.pk).pk, other.pk]

    def go_on(ids):
        def work():
            for _ in range(20):
                resume(one.owner, ids, {"tokens": "+1"})

        return work

    assert together(go_on(goals), go_on(goals[::-1])) == []
    assert [goal.budgets.get(resource="tokens").limit for goal in (one, other)] == [1040, 1040]


def test_a_reservation_is_refused_and_explained_under_load_without_a_part_of_it_left(working):
    goal, epoch = working(limits={"tokens": 1000})
    taken = take_many(goal, epoch, 40)
    assert len(taken) == 10
    assert goal.budgets.get(resource="tokens").reserved == 1000
    assert goal.budgets.get(resource="model_calls").reserved == 10


def take_many(goal, epoch, count):
    taken = []

    def work():
        row = journal.intend(goal, epoch, model_row(goal, uuid.uuid4().hex), AMOUNTS).row
        taken.append(row)

    for _ in range(0, count, 8):
        errors = together(*[work] * 8)
        assert all("tokens" in str(error) for error in errors), errors
    return taken


def test_a_frozen_claim_is_not_waited_for(working):
    """A goal whose row somebody holds is skipped by those who look for work."""
    goal, _ = working()
    Goal.objects.filter(pk=goal.pk).update(lease_expires_at=None)
    found = []

    def look():
        from goals import lease

        found.append(lease.claim(10))

    with writing(goal.pk):
        assert together(look) == []
    assert found == [[]]
    assert take(goal)
    assert ledger.lines_of(goal)
