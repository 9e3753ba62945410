"""One clock, the database's: a host whose own clock is wrong counts evidence and wakes as any other."""

import threading
from datetime import timedelta

import pytest
from django.utils import timezone

from artifacts.models import Artifact
from goals import services
from goals.models import Checkpoint, Goal
from goals.states import EffectClass, GoalStatus
from goals.tools.errors import ToolError
from goals.transitions import writing
from tests.goals import rules
from tests.goals.effects.meanwhile import until_somebody_waits
from tests.goals.effects.test_locks import together
from tests.goals.effects.work import last_is

REAL = timezone.now


@pytest.fixture(params=[-1, 1], ids=["an hour behind", "an hour ahead"])
def wrong_clock(request, monkeypatch):
    """What this host thinks the time is."""
    monkeypatch.setattr(timezone, "now", lambda: REAL() + timedelta(hours=request.param))


def test_a_second_attempt_counts_its_own_evidence_and_not_that_of_the_first(
    planned, tool, settle, endpoint, wrong_clock
):
    made = tool("make", EffectClass.PURE, lambda *_: len(made.keys))
    verdicts = [{"reply": {"met": met, "score": 0.5, "reason": "so", "evidence": ""}} for met in (False, True)]
    endpoint.script.update(judge_outcome=verdicts)
    goal = planned("make", options={"revisions": 0})
    Checkpoint.objects.filter(goal=goal).delete()
    Checkpoint.objects.create(
        goal=goal,
        position=0,
        title="Make it",
        predicate="use_tool",
        args={"tool": "make", "input": {}},
        evidence_key="step0",
        done_when=[{"kind": "has_evidence", "key": "step0"}],
        verifier={"type": "llm"},
    )
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED
    assert len(made.keys) == 2
    assert list(Artifact.objects.filter(name="step0").order_by("version").values_list("value", flat=True)) == [1, 2]
    assert rules.violations() == []


def test_a_fork_does_the_work_anew_by_any_clock(planned, tool, settle, wrong_clock):
    used = tool("use", EffectClass.PURE)
    goal = settle(planned("use"))
    fork = services.fork(goal.owner, goal.pk)
    assert fork.iteration_started_at > Artifact.objects.get(name="step0").created_at
    assert abs(fork.iteration_started_at - REAL()) < timedelta(minutes=30)
    assert len(used.keys) == 1


def test_a_retry_is_due_by_the_clock_that_finds_it(planned, tool, settle, wrong_clock):
    errors = [ToolError("not now", retryable=True)]

    def fails_once(*_):
        if errors:
            raise errors.pop()
        return 1

    used = tool("use", EffectClass.PURE, fails_once)
    goal = settle(planned("use", verifier=last_is("step0")))
    assert goal.status == GoalStatus.COMPLETED
    assert len(used.keys) == 2


def test_the_time_of_a_change_is_after_what_it_waited_for(working):
    goal, _ = working()
    times = {}
    held = threading.Event()

    def first():
        with writing(goal.pk) as writer:
            writer.event("goal.steered", {"text": "first"})
            held.set()
            until_somebody_waits()
            with writing(goal.pk) as again:
                times["first"] = again.now

    def second():
        held.wait(60)
        with writing(goal.pk) as writer:
            times["second"] = writer.now

    assert together(first, second) == []
    assert times["second"] > times["first"]
    assert Goal.objects.get(pk=goal.pk).seq > goal.seq
