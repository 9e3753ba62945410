"""Many goals at once, and workers killed at random moments: everything ends, and the rules hold.

In full (GOALSITE_DRILL=full) 40 goals and a minute of killing, else 12 goals and some ten seconds.
"""

import os
import random
import signal
import time
from collections import Counter

import pytest

from goals import answers
from goals.models import Event, Goal, ModelCall, Question
from goals.states import GoalStatus
from tests.drills.conftest import FULL, LEASE
from tests.goals import rules
from tests.goalsite.processes import eventually

pytestmark = pytest.mark.drill
GOALS, SECONDS = (40, 60) if FULL else (12, 9)
STEPS = ("drill_pure", "drill_external", "drill_idempotent", "drill_transactional", "drill_blind", "drill_external")


def answer_all(site, owner):
    """Answer each recovery question with the truth, which the receiver knows."""
    keys = {line["key"] for line in site.received()}
    for question in Question.objects.open().select_related("tool_call"):
        answers.answer(owner, question.pk, "happened" if question.tool_call.key in keys else "did_not_happen")


@pytest.mark.parametrize("seed", range(3 if FULL else 1))
def test_everything_ends_whatever_is_killed_when(site, planned, owner, seed):
    dice = random.Random(seed)
    goals = [planned(*dice.sample(STEPS, 4)) for _ in range(GOALS)]
    workers = [site.worker(), site.worker(), site.worker()]
    ends = time.monotonic() + SECONDS
    kills = 0
    while time.monotonic() < ends:
        time.sleep(dice.uniform(0.2, 1.5))
        victim = dice.randrange(len(workers))
        site.kill(workers[victim])
        kills += 1
        workers[victim] = site.worker()
        answer_all(site, owner)

    def all_ended():
        answer_all(site, owner)
        return not Goal.objects.filter(finished_at=None).exists()

    eventually(all_ended, 180, "every goal ends")
    assert kills > 3
    assert set(Goal.objects.values_list("status", flat=True)) == {GoalStatus.COMPLETED}
    check(site, goals)
    assert Event.objects.filter(kind="goal.completed").count() == GOALS


def check(site, goals, received=None):
    rules.hold()
    received = site.received() if received is None else received
    external = Counter(line["key"] for line in received if line["tool"] in {"drill_external", "drill_blind"})
    assert set(external.values()) <= {1}, "an external effect was applied twice"
    for goal in goals:
        applied = Counter(line["tool"] for line in received if line["goal"] == str(goal.pk))
        planned = Counter(goal.checkpoints.values_list("args__tool", flat=True))
        for tool in ("drill_external", "drill_blind"):
            assert applied[tool] == planned[tool], (goal.pk, tool)
    asked = Counter(line["key"] for line in site.asked())
    known = set(ModelCall.objects.values_list("key", flat=True))
    assert set(asked) <= known, "a model was asked for something that has no row"


def test_a_frozen_worker_now_and_then_changes_nothing_of_this(site, planned, owner):
    goals = [planned(*STEPS[:4]) for _ in range(6)]
    workers = [site.worker(), site.worker()]
    dice = random.Random(7)
    thawed = set()
    for _ in range(3):
        time.sleep(dice.uniform(0.3, 1.0))
        frozen = dice.choice(workers)
        os.kill(frozen, signal.SIGSTOP)
        time.sleep(LEASE + 0.6)
        os.kill(frozen, signal.SIGCONT)
        thawed.add(frozen)
    time.sleep(1)  # what they were about to send is sent; only then can anybody say what happened

    def all_ended():
        answer_all(site, owner)
        return not Goal.objects.filter(finished_at=None).exists()

    eventually(all_ended, 180, "every goal ends")
    site.kill()
    check(site, goals, told_once(site.received(), thawed))


def told_once(received, late):
    """What a far side that heeds keys does: a worker frozen just before it sends may repeat its successor's call."""
    senders = {}
    for line in received:
        senders.setdefault(line["key"], []).append(line["pid"])
    first = {line["key"]: line for line in reversed(received) if late & set(senders[line["key"]])}
    return [line for line in received if first.get(line["key"], line) is line]
