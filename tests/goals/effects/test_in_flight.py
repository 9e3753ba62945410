"""What people do while a call is in flight: its outcome is written where it belongs, and nothing further starts."""

import pytest

from artifacts.models import Artifact
from goals import events, services
from goals.models import Checkpoint, Goal, ModelCall, Question, Subgoal, ToolCall
from goals.states import EffectClass, GoalStatus
from goals.tasks import Slice
from tests.goals import rules
from tests.goals.effects.meanwhile import Gate, calling
from tests.goals.effects.work import last_is, plan, reserved, step


@pytest.mark.parametrize("kind", [EffectClass.PURE, EffectClass.IDEMPOTENT, EffectClass.EXTERNAL])
def test_pause_during_a_tool_call_records_it_and_starts_nothing_further(
    planned, tool, meanwhile, settle, endpoint, kind
):
    gate = Gate()
    first, second = tool("first", kind, gate), tool("second", kind)
    goal = planned("first", "second")

    def act():
        services.pause(goal.owner, goal.pk)
        gate.go_on.set()

    goal = meanwhile(goal, gate.in_flight, act)
    assert goal.status == GoalStatus.PAUSED
    assert ToolCall.objects.get(goal=goal).status == "succeeded"
    assert reserved(goal) == {}
    assert second.keys == []
    assert rules.violations() == []
    services.resume(goal.owner, goal.pk)
    assert settle(goal).status == GoalStatus.COMPLETED
    assert len(first.keys) == len(second.keys) == 1
    assert Artifact.objects.filter(context=goal.artifact_context, name="step0").count() == 1


def test_cancel_during_a_tool_call_keeps_its_outcome_and_stays_cancelled(planned, tool, meanwhile):
    gate = Gate()
    tool("first", EffectClass.EXTERNAL, gate)
    goal = planned("first", "first")

    def act():
        services.cancel(goal.owner, goal.pk, reason="enough")
        gate.go_on.set()

    goal = meanwhile(goal, gate.in_flight, act)
    assert (goal.status, goal.reason) == (GoalStatus.CANCELLED, "enough")
    assert ToolCall.objects.get(goal=goal).status == "succeeded"
    assert not Subgoal.objects.filter(goal=goal, worked=True).exists()
    assert rules.violations() == []


def test_steering_during_a_tool_call_loses_nothing_of_its_result(planned, tool, meanwhile, settle, endpoint):
    gate = Gate()
    first = tool("first", EffectClass.PURE, gate)
    goal = planned("first")

    def act():
        services.steer(goal.owner, goal.pk, "softly")
        gate.go_on.set()

    goal = settle(meanwhile(goal, gate.in_flight, act))
    assert goal.status == GoalStatus.COMPLETED
    assert len(first.keys) == 1
    assert Artifact.objects.filter(context=goal.artifact_context, name="step0").count() == 1
    assert rules.violations() == []


def test_steering_during_an_acting_call_loses_nothing_of_its_result(endpoint, submit, meanwhile, settle):
    made = {"name": "poem", "type": "text", "description": "a poem", "purpose": "", "value": "roses"}
    done = {"reply": {"status": "done", "result": "Yes.", "outputs": [made]}, "hold": meanwhile.over}
    endpoint.script.update(act=done, judge_outcome={"reply": {"met": True, "score": 1, "reason": "so", "evidence": ""}})
    goal = submit("Act", verifier={"type": "llm"})
    step(goal, 0, "execute", {"instructions": "act"}, operation="think")
    goal = plan(goal)
    goal = settle(meanwhile(goal, calling(goal), lambda: services.steer(goal.owner, goal.pk, "softly")))
    assert goal.status == GoalStatus.COMPLETED
    assert len(endpoint.named("act")) == 1
    assert Artifact.objects.filter(context=goal.artifact_context, name="poem").count() == 1
    assert rules.violations() == []


def test_cancel_during_the_planning_call_leaves_no_plan_behind(endpoint, submit, meanwhile):
    endpoint.script.update({"*": {"hold": meanwhile.over}, "plan_checkpoints": {"hold": meanwhile.over}})
    goal = submit("Do something that no procedure fits")
    goal = meanwhile(goal, calling(goal), lambda: services.cancel(goal.owner, goal.pk))
    assert goal.status == GoalStatus.CANCELLED
    assert not Checkpoint.objects.filter(goal=goal).exists()
    assert ModelCall.objects.get(goal=goal).status == "succeeded"
    assert reserved(goal) == {}
    assert rules.violations() == []


def test_cancel_during_the_wording_of_a_question_asks_nobody(endpoint, submit, meanwhile):
    endpoint.script["gather_question"] = {"hold": meanwhile.over}
    goal = submit("Ask me", verifier=last_is("answer"))
    step(goal, 0, "gather_info", {"key": "answer"}, "answer")
    goal = plan(goal)
    goal = meanwhile(goal, calling(goal), lambda: services.cancel(goal.owner, goal.pk))
    assert goal.status == GoalStatus.CANCELLED
    assert not Question.objects.filter(goal=goal, status="open").exists()
    assert ModelCall.objects.get(goal=goal).status == "succeeded"
    assert reserved(goal) == {}
    assert goal.budgets.get(resource="model_calls").used == 1
    assert rules.violations() == []


def test_cancel_during_an_acting_call_keeps_what_it_cost(endpoint, submit, meanwhile):
    endpoint.script["act"] = {"reply": {"status": "done", "result": "Yes.", "outputs": []}, "hold": meanwhile.over}
    goal = submit("Act", verifier=last_is("never"))
    step(goal, 0, "execute", {"instructions": "act"}, operation="think")
    goal = plan(goal)
    goal = meanwhile(goal, calling(goal), lambda: services.cancel(goal.owner, goal.pk))
    assert goal.status == GoalStatus.CANCELLED
    call = ModelCall.objects.get(goal=goal)
    assert call.status == "succeeded"
    assert goal.budgets.get(resource="cost_usd").used == call.cost_usd > 0
    assert rules.violations() == []


def test_pause_during_an_acting_call_is_not_paid_again_after_the_resume(endpoint, submit, meanwhile, settle):
    done = {"reply": {"status": "done", "result": "Yes.", "outputs": []}, "hold": meanwhile.over}
    endpoint.script.update(act=done, judge_outcome={"reply": {"met": True, "score": 1, "reason": "so", "evidence": ""}})
    goal = submit("Act", verifier={"type": "llm"})
    step(goal, 0, "execute", {"instructions": "act"}, operation="think")
    goal = plan(goal)
    goal = meanwhile(goal, calling(goal), lambda: services.pause(goal.owner, goal.pk))
    assert goal.status == GoalStatus.PAUSED
    services.resume(goal.owner, goal.pk)
    assert settle(goal).status == GoalStatus.COMPLETED
    assert len(endpoint.named("act")) == 1
    assert rules.violations() == []


def test_a_completed_goal_never_comes_back_by_itself(planned, tool, settle):
    tool("first", EffectClass.PURE)
    goal = settle(planned("first"))
    seq = goal.seq
    Slice(lambda: False, only=[goal.pk], linger=0.5).run()
    goal = Goal.objects.get(pk=goal.pk)
    assert (goal.status, goal.seq) == (GoalStatus.COMPLETED, seq)
    assert events.broken_at(goal.pk) is None


def test_a_tool_that_says_what_postgres_cannot_store_fails_by_name(planned, tool, settle):
    def fail(*_):
        raise ValueError("a NUL \x00 and a surrogate \udc00")

    tool("first", EffectClass.PURE, fail)
    goal = settle(planned("first", options={"retries": 0, "checkpoint_attempts": 1, "revisions": 0}))
    assert goal.status == GoalStatus.FAILED
    assert "surrogate" in goal.reason
    assert rules.violations() == []
