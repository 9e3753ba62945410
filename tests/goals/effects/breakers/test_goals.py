"""Goals sleep while a far side is left alone, and lose no work because of it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from goals.breaker import Standing
from goals.effects.calls import recording
from goals.effects.tool_calls.prepared import prepare
from goals.effects.tool_calls.running import run
from goals.exceptions import BreakerOpen
from goals.models import Breaker, Goal, ModelCall, Subgoal, ToolCall
from goals.states import EffectClass, GoalStatus
from goals.tasks import Slice
from goals.tools.errors import ToolError, ToolTimeout
from tests.goals import rules
from tests.goals.crew import PLAN, by_task, child, children, result
from tests.goals.effects.breakers.far import only, opened
from tests.goals.effects.work import at_first_step, plan, step
from tests.goals.test_model_goals import plan as plan_of
from tests.goals.test_model_goals import step as step_of

BUSY = {"status": 503, "headers": {"x-should-retry": "false"}}
DONE = {"reply": {"status": "done", "result": "Yes.", "outputs": []}}
MET = {"reply": {"met": True, "score": 1, "reason": "so", "evidence": ""}}


def acting(submit, **wishes):
    goal = submit("Act", verifier={"type": "llm"}, **wishes)
    step(goal, 0, "execute", {"instructions": "act"}, operation="think")
    return plan(goal)


def test_a_goal_sleeps_through_an_outage_and_loses_no_attempt(endpoint, submit, settle, settings):
    settings.GOALSITE_MAX_RETRIES = 0
    settings.GOALSITE_BREAKER_FAILURES = 1
    endpoint.script.update(act=[BUSY, BUSY, DONE], judge_outcome=MET)
    goal = settle(acting(submit))
    assert goal.status == GoalStatus.COMPLETED
    assert Subgoal.objects.get(goal=goal).attempts == 1
    slept = goal.events.filter(kind="subgoal.waiting")
    assert slept.count() >= 2
    assert "is left alone, until" in slept.first().payload["reason"]
    assert [call.status for call in ModelCall.objects.filter(goal=goal, purpose="act").order_by("created_at")] == [
        "failed",
        "failed",
        "succeeded",
    ]
    assert only().standing == Standing()
    assert rules.violations() == []


def test_a_goal_that_plans_sleeps_too_and_says_why(endpoint, submit, settle, settings):
    settings.GOALSITE_BREAKER_FAILURES = 1
    settings.GOALSITE_MAX_RETRIES = 0
    endpoint.script.update(plan_checkpoints=[BUSY])
    goal = submit()
    Slice(lambda: False, only=[goal.pk], linger=0.0).run()
    goal = Goal.objects.get(pk=goal.pk)
    assert (goal.status, goal.attempt) == (GoalStatus.PLANNING, 1)
    assert goal.wake_at > timezone.now() - timedelta(seconds=2)
    assert goal.reason.startswith(f"the endpoint {endpoint.url} is left alone, until")
    goal = settle(goal)
    assert goal.events.filter(kind="goal.planned").exists()
    assert "left alone" not in goal.reason


def test_a_verification_sleeps_too(endpoint, submit, settle, settings):
    settings.GOALSITE_BREAKER_FAILURES = 1
    settings.GOALSITE_MAX_RETRIES = 0
    endpoint.script.update(act=DONE, judge_outcome=[BUSY, MET, MET])
    goal = settle(acting(submit))
    assert goal.status == GoalStatus.COMPLETED
    assert "left alone" in goal.events.filter(kind="goal.waiting").first().payload["reason"]


def test_a_probe_that_finds_the_endpoint_still_down_is_not_counted_to_its_goal(endpoint, submit, settle, settings):
    """One goal asks for all; what it pays for is its own call that failed first, and its reply."""
    settings.GOALSITE_MAX_RETRIES = 0
    settings.GOALSITE_BREAKER_FAILURES = 1
    endpoint.script.update(act=[BUSY, BUSY, BUSY, DONE], judge_outcome=MET)
    goal = settle(acting(submit, limits={"model_calls": 4}))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert len(endpoint.named("act")) == 4
    used = {row.resource: row.used for row in goal.budgets.all()}
    assert used["model_calls"] == 4, "the first failure, the reply, and two judgements"
    assert used["seconds"] > 0
    assert rules.violations() == []


def test_what_was_said_of_a_sleep_is_gone_once_the_work_goes_on(endpoint, submit, settle, settings, tool):
    """Beside work in flight the goal itself does not sleep, so it is not its waking that ends what was said."""
    settings.GOALSITE_MAX_RETRIES = 0
    settings.GOALSITE_BREAKER_FAILURES = 1
    told = []
    tool("look", EffectClass.PURE, lambda *_: told.append(Goal.objects.get().reason))
    whole = step_of("Both", predicate="composite", operation=None)
    endpoint.script.update(plan_checkpoints=[plan_of(whole)], atomize=PLAN, judge_outcome=MET)
    endpoint.script.update(plan_subgoals=children("AND", child("Slow"), child("Shaky")))
    shaky = [BUSY, {"tool_calls": [{"name": "look", "arguments": {}}]}, result("shaky")]
    by_task(endpoint, "act", {"Slow": result("slow", hold=lambda: told), "Shaky": shaky})
    goal = settle(submit("Act"))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    (slept,) = goal.events.filter(kind="subgoal.waiting")
    assert "is left alone, until" in slept.payload["reason"]
    assert not goal.events.filter(kind="goal.waiting", seq__lt=goal.events.get(kind="tool.called").seq).exists()
    assert told == [""]


def test_an_open_breaker_is_met_before_anything_is_spent(endpoint, submit):
    now = timezone.now()
    Breaker.objects.create(
        kind="endpoint", name=endpoint.url, state="open", failures=3, opened_at=now, retry_at=now + timedelta(hours=1)
    )
    goal = acting(submit)
    Slice(lambda: False, only=[goal.pk], linger=0.0).run()
    goal = Goal.objects.get(pk=goal.pk)
    assert (goal.status, goal.waits_for) == (GoalStatus.WAITING, "timer")
    assert endpoint.requests == []
    assert not ModelCall.objects.exists()
    assert all(row.used == row.reserved == 0 for row in goal.budgets.all())


def test_what_the_journal_has_is_taken_while_its_far_side_is_left_alone(planned, tool, settle):
    far = tool("far", EffectClass.PURE)
    goal = planned("far")
    drive, subgoal = at_first_step(goal)
    prepared = prepare(drive, subgoal, far, {"number": 0})
    with recording(drive, run(drive, subgoal, prepared, mark="use")):
        pass
    opened()
    assert run(drive, subgoal, prepared, mark="use").value.value == 1
    with pytest.raises(BreakerOpen):
        run(drive, subgoal, prepared, mark="another")
    assert len(far.keys) == 1


def test_a_tool_that_fails_is_left_alone_for_all_goals(planned, tool, settle, settings):
    settings.GOALSITE_MAX_RETRIES = 0
    settings.GOALSITE_BREAKER_FAILURES = 1
    answers = iter([ToolError("down", retryable=True)])

    def does(*_):
        for error in answers:
            raise error
        return 1

    far = tool("far", EffectClass.PURE, does)
    first, second = planned("far"), planned("far")
    Slice(lambda: False, only=[first.pk], linger=0.0).run()
    Slice(lambda: False, only=[second.pk], linger=0.0).run()
    assert {g.status for g in Goal.objects.all()} == {GoalStatus.WAITING}
    assert len(far.keys) == 1
    assert settle(first).status == settle(second).status == GoalStatus.COMPLETED
    assert set(Subgoal.objects.values_list("attempts", flat=True)) == {1}
    assert ToolCall.objects.filter(status="failed").count() == 1
    assert rules.violations() == []


def test_a_tool_of_this_machine_has_no_breaker(planned, tool, settle, settings):
    settings.GOALSITE_MAX_RETRIES = 0
    near = tool("near", EffectClass.PURE, lambda *_: (_ for _ in ()).throw(ToolTimeout("slow")))
    near.far_side = False
    settle(planned("near", limits={"model_calls": 1}))
    assert near.keys
    assert not Breaker.objects.filter(kind="tool").exists()


def test_retry_after_is_honoured_by_the_goal_and_by_the_breaker(endpoint, submit, settings):
    settings.GOALSITE_BREAKER_FAILURES = 1
    endpoint.script.update(act={"status": 429, "headers": {"Retry-After": "40"}})
    goal = acting(submit)
    Slice(lambda: False, only=[goal.pk], linger=0.0).run()
    assert len(endpoint.requests) == 1
    goal = Goal.objects.get(pk=goal.pk)
    assert timedelta(seconds=30) < goal.wake_at - timezone.now() < timedelta(seconds=46)
    assert only().retry_at - only().opened_at == timedelta(seconds=40)
