"""What counts as done in a later iteration, in a fork, and how long an attempt may take."""

from goals import services
from goals.models import Checkpoint, Goal
from goals.states import EffectClass, GoalStatus
from goals.tools.base import ToolResult
from tests.goals.effects.work import last_is
from tests.goals.test_model_goals import MET, UNMET, plan, step


def test_evidence_of_an_earlier_iteration_is_not_work_done(endpoint, submit, settle, tool):
    work = tool("work", EffectClass.PURE, lambda *_: ToolResult("made", "made"))
    use = step("Work", predicate="use_tool", args={"tool": "work", "input": {}}, evidence_key="made")
    endpoint.script.update(plan_checkpoints=plan(use), judge_outcome=[UNMET, MET])
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED
    assert goal.iteration == 2
    assert len(work.keys) == 2


def test_a_fork_does_the_work_anew_and_knows_what_people_said(endpoint, submit, settle, tool, owner):
    work = tool("work", EffectClass.PURE, lambda *_: ToolResult("made", "made"))
    use = step("Work", predicate="use_tool", args={"tool": "work", "input": {}}, evidence_key="made")
    endpoint.script.update(plan_checkpoints=plan(use), judge_outcome=MET)
    goal = settle(submit())
    twin = settle(services.fork(owner, goal.pk, objective="Another one"))
    assert twin.status == GoalStatus.COMPLETED
    assert len(work.keys) == 2


def test_an_attempt_that_takes_too_long_ends(endpoint, submit, settle, tool):
    """The time that its calls take is counted on the checkpoint; a guard that nothing feeds guards nothing."""
    call = {"tool_calls": [{"name": "list_files", "arguments": {}}], "delay": 0.4}
    endpoint.script.update(
        plan_checkpoints=[plan(step())], act=[call] * 20, revise_plan={"reply": {"checkpoints": [], "reasoning": "no"}}
    )
    goal = submit(options={"checkpoint_seconds": 1.0, "checkpoint_attempts": 1, "revisions": 1, "retries": 0})
    goal = settle(goal)
    checkpoint = Checkpoint.objects.get(goal=goal)
    assert checkpoint.status == "failed"
    assert "time" in checkpoint.failure
    assert len(endpoint.named("act")) < 8


def test_times_of_an_earlier_attempt_do_not_count(planned, tool, settle):
    tool("work", EffectClass.PURE)
    goal = settle(planned("work", verifier=last_is("step0")))
    assert goal.status == GoalStatus.COMPLETED
    assert Goal.objects.get(pk=goal.pk).checkpoints.get().seconds < 1
