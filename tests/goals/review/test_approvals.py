"""What an approval is bound to: tool, arguments and the goal's revision."""

from goals import answers, policy
from goals.models import Goal, Subgoal
from goals.states import EffectClass, GoalStatus
from goals.tools.base import ToolResult
from tests.goals.effects.work import ScriptedTool
from tests.goals.test_model_goals import DONE, MET, plan, step


def asked(endpoint, submit, settle, tool):
    wiping = tool("wipe", EffectClass.EXTERNAL, lambda *_: ToolResult("gone", "gone"))
    wiping.risk = "dangerous"
    turns = [{"tool_calls": [{"name": "wipe", "arguments": {"number": 1}}]}, DONE]
    endpoint.script.update(plan_checkpoints=[plan(step())], act=turns, judge_outcome=MET)
    goal = settle(submit())
    return goal, goal.questions.open().get(), wiping


def test_a_yes_is_bound_to_tool_arguments_and_revision(endpoint, submit, settle, tool, owner):
    goal, question, wiping = asked(endpoint, submit, settle, tool)
    answers.answer(owner, question.pk, "yes")
    goal, subgoal = Goal.objects.get(pk=goal.pk), Subgoal.objects.get(goal=goal)
    other = ScriptedTool("other", EffectClass.EXTERNAL, None)
    assert policy.is_approved(subgoal, policy.approval_digest(wiping, {"number": 1}, goal))
    assert not policy.is_approved(subgoal, policy.approval_digest(wiping, {"number": 2}, goal))
    assert not policy.is_approved(subgoal, policy.approval_digest(other, {"number": 1}, goal))
    goal.revision += 1
    assert not policy.is_approved(subgoal, policy.approval_digest(wiping, {"number": 1}, goal))


def test_a_no_uses_no_tool_and_is_not_asked_again_at_once(endpoint, submit, settle, tool, owner):
    goal, question, wiping = asked(endpoint, submit, settle, tool)
    endpoint.script["revise_plan"] = {"reply": {"checkpoints": [], "reasoning": "no other way"}}
    endpoint.script["judge_outcome"] = {"reply": {"met": False, "score": 0, "reason": "not done", "evidence": ""}}
    answers.answer(owner, question.pk, "no")
    goal = settle(goal)
    assert goal.status == GoalStatus.FAILED
    assert wiping.keys == []
    assert goal.questions.count() == 1
