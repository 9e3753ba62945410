"""What an effect came to is kept, whatever becomes of what was to follow from it."""

from decimal import Decimal

import pytest

from goals import services
from goals.decisions import Failure, FailureKind
from goals.driver import Drive
from goals.effects import calls, tool_use, verify
from goals.effects.handlers import HANDLERS
from goals.exceptions import StaleGoal
from goals.models import Goal, ModelCall, ToolCall, Verification
from goals.states import EffectClass, GoalStatus, Resource
from goals.tools.base import ToolResult
from tests.goals import rules
from tests.goals.effects.work import at_first_step, only_call, reserved, take
from tests.goals.test_model_goals import DONE, MET, plan, step


def test_an_external_call_is_kept_although_its_artifact_cannot_be(planned, tool, settle, monkeypatch):
    """Else a person would be asked what became of a call that answered."""
    booking = tool("book", EffectClass.EXTERNAL, lambda *_: ToolResult("booked", "booked"))

    def broken(*_, **__):
        raise ValueError("a bug")

    monkeypatch.setattr(tool_use, "keep", broken)
    goal = settle(planned("book", options={"retries": 0, "checkpoint_attempts": 1, "revisions": 0}))
    assert only_call(goal).status == "succeeded"
    assert len(booking.keys) == 1
    assert not goal.questions.exists()
    assert reserved(goal) == {}
    assert rules.violations() == []


@pytest.mark.parametrize("error", [StaleGoal("moved on"), ValueError("a bug")], ids=lambda e: type(e).__name__)
def test_a_reply_is_kept_and_paid_although_what_follows_from_it_is_stale(planned, tool, error):
    tool("work", EffectClass.PURE)
    drive, subgoal = at_first_step(planned("work"))
    row = ToolCall(
        goal=drive.goal, subgoal=subgoal, tool="work", effect_class=EffectClass.PURE, scope="s", request={"input": {}}
    )
    intent = calls.journal.intend(drive.goal, drive.epoch, row, {Resource.SECONDS: Decimal(10)})
    outcome = calls.Outcome(calls.EffectStatus.SUCCEEDED, {"value": 1}, used={Resource.SECONDS: Decimal(2)}, seconds=2)
    with pytest.raises(type(error)), calls.recording(drive, calls.Call(intent.row, outcome)):
        raise error
    assert only_call(drive.goal).status == "succeeded"
    assert reserved(drive.goal) == {}
    assert rules.violations() == []


def test_a_failure_of_dropped_work_is_not_the_goals(planned, tool):
    tool("work", EffectClass.PURE)
    drive, subgoal = at_first_step(planned("work"))
    type(subgoal).objects.filter(pk=subgoal.pk).update(round=7)
    drive.look_again()
    drive.fail(subgoal.pk, Failure(FailureKind.TOOL, "too late", retryable=False))
    goal = Goal.objects.get(pk=drive.goal_id)
    assert (goal.failure, goal.status) == (None, GoalStatus.ACTIVE)


def test_a_verifier_whose_worker_died_runs_again_and_ends(submit, settle, owner, monkeypatch, tmp_path):
    """The row of the first run is taken over; a second row would be settled by nobody."""
    from django.contrib.auth.models import Permission

    owner.user_permissions.add(Permission.objects.get(codename="use_host_verifiers"))
    goal = submit(verifier={"type": "command", "command": "true"}, workspace=str(tmp_path))

    class Killed(BaseException):
        pass

    def die(*_, **__):
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(verify, "run", die)
        with pytest.raises(Killed):
            Drive(take(goal)).run(HANDLERS)
    assert only_call(goal).status == "intended"
    Goal.objects.filter(pk=goal.pk).update(lease_expires_at=None)
    goal = settle(goal, seconds=8)
    assert goal.status == GoalStatus.COMPLETED
    assert only_call(goal).status == "succeeded"
    assert Verification.objects.filter(goal=goal).count() == 1
    assert reserved(goal) == {}
    assert rules.violations() == []


def test_every_judgement_is_kept_when_a_later_one_cannot_be_had(endpoint, submit, settle):
    both = {"type": "all", "of": [{"type": "llm", "condition": "one"}, {"type": "llm", "condition": "two"}]}
    endpoint.script.update(plan_checkpoints=[plan(step())], act=[DONE], judge_outcome=[MET, MET, {"status": 400}])
    goal = settle(submit(verifier=both))
    assert goal.status == GoalStatus.PAUSED
    assert not ModelCall.objects.filter(goal=goal, status="intended").exists()
    assert reserved(goal) == {}


def test_the_judgement_on_a_procedure_that_cannot_be_followed_is_kept(endpoint, submit, settle, library, monkeypatch):
    from goals import plans
    from sops.exceptions import NotAdaptable

    def refuses(*_):
        raise NotAdaptable("no such tool")

    monkeypatch.setattr(plans, "adapt", refuses)
    said = {"sop": "python-inventory", "confidence": 0.9, "missing_prerequisites": [], "inputs": {}}
    endpoint.script.update(
        judge_applicability={"reply": {**said, "reasoning": "it fits"}},
        plan_checkpoints=[plan(step())],
        act=[DONE],
        judge_outcome=MET,
    )
    goal = submit("Write an inventory of the Python modules in this folder")
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED
    assert ModelCall.objects.filter(goal=goal, purpose="judge_applicability").values_list("status", flat=True)[0] == (
        "succeeded"
    )
    assert reserved(goal) == {}


def test_a_cancelled_goal_keeps_what_was_in_flight(planned, tool, owner):
    """What a cancel overtakes is paid for on its row and moves nothing."""
    goal = planned("work")
    tool("work", EffectClass.PURE, lambda *_: services.cancel(owner, goal.pk) and 1)
    Drive(take(goal)).run(HANDLERS)
    assert Goal.objects.get(pk=goal.pk).status == GoalStatus.CANCELLED
    assert only_call(goal).status == "succeeded"
    assert reserved(goal) == {}
