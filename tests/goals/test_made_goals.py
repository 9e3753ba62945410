"""Goals that a goal makes: they draw on its budget, are bounded in depth and number, and it reaches no others."""

import json

import pytest
from django.contrib.auth import get_user_model

from goals import delegation, services
from goals.models import Budget, Goal, ModelCall, ToolCall
from goals.states import GoalStatus
from tests.goals import rules
from tests.goals.test_model_goals import DONE, MET
from tests.goals.test_model_goals import plan as replied_plan
from tests.goals.test_model_goals import step as drafted


def asks(name, **arguments):
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


@pytest.fixture
def acting(endpoint, submit, settle):
    """Run a goal whose one step makes these tool calls; returns the goal and what the model was told of each."""

    def run(*calls, **draft):
        endpoint.script.update(plan_checkpoints=[replied_plan(drafted(**draft))], act=[*calls, DONE], judge_outcome=MET)
        goal = settle(submit("Delegate"))
        last = [r for r in endpoint.named("act") if r["last"] == "tool"][-1]
        return goal, [m["content"] for m in last["body"]["messages"] if m["role"] == "tool"]

    return run


def test_a_goal_makes_a_goal_that_draws_on_its_budget_and_works_in_its_place(acting, settle, endpoint):
    goal, [told] = acting(asks("goal_create", objective="Look into it", context="it is urgent"))
    made = Goal.objects.get(parent=goal)
    assert str(made.pk) in told
    assert (made.owner, made.root, made.workspace, made.auto_approve) == (goal.owner, goal, goal.workspace, False)
    assert (made.objective, made.context, made.verifier) == ("Look into it", "it is urgent", None)
    assert made.artifact_context.parent_id == goal.artifact_context_id
    assert not Budget.objects.filter(goal=made).exists()
    assert ToolCall.objects.get(goal=goal).effect_class == "transactional"
    before = goal.budgets.get(resource="model_calls").used
    assert settle(made).status == GoalStatus.COMPLETED
    calls = ModelCall.objects.filter(goal=made).count()
    assert goal.budgets.get(resource="model_calls").used == before + calls > before
    assert rules.violations() == []


def test_it_cannot_spend_more_than_its_root_has(acting, settle, owner):
    goal, _ = acting(asks("goal_create", objective="Look into it"))
    used = goal.budgets.get(resource="model_calls").used
    services.raise_limits(owner, goal.pk, {"model_calls": int(used)})
    made = settle(Goal.objects.get(parent=goal))
    assert (made.status, made.paused_for) == (GoalStatus.PAUSED, "budget")
    assert not ModelCall.objects.filter(goal=made).exists()


def test_goals_make_goals_only_so_deep(acting, settings):
    settings.GOALSITE_MAX_NESTING = 1
    goal, _ = acting(asks("goal_create", objective="One below"))
    made = Goal.objects.get(parent=goal)
    with pytest.raises(delegation.StaleGoal, match="at most 1 deep"):
        delegation.create(delegation.for_goal(made.pk), objective="Two below", context="", constraints="")


def test_a_goal_makes_only_so_many(acting, monkeypatch):
    monkeypatch.setattr(delegation, "MOST_MADE", 2)
    calls = [asks("goal_create", objective=f"Number {n}") for n in range(3)]
    goal, told = acting(*calls)
    assert told[2] == "error: this goal has made 2 goals; it may make no more"
    assert Goal.objects.filter(parent=goal).count() == 2


def test_a_goal_reaches_only_what_it_has_made(endpoint, acting, submit, settle, owner):
    other = submit("Another of the same owner")
    foreign = services.submit(owner=get_user_model().objects.create_user("eve"), objective="Of somebody else")
    calls = [asks("goal_manage", action="cancel", goal=str(goal.pk)) for goal in (other, foreign)]
    _, told = acting(*calls, asks("goal_status", goal=str(other.pk)), asks("goal_manage", action="cancel"))
    assert [text.partition(": ")[2][:21] for text in told[:3]] == ["there is no such goal"] * 3
    assert "say which goal" in told[3]
    assert set(Goal.objects.filter(pk__in=[other.pk, foreign.pk]).values_list("status", flat=True)) == {"planning"}


def test_a_goal_cannot_act_on_itself(submit):
    goal = submit("Delegate")
    with pytest.raises(delegation.NotFound):
        delegation.manage(delegation.for_goal(goal.pk), str(goal.pk), "cancel", "")


def test_a_goal_hears_how_those_stand_that_it_has_made_and_moves_them(acting):
    goal, told = acting(asks("goal_create", objective="Look into it"), asks("goal_status"))
    made = Goal.objects.get(parent=goal)
    assert json.loads(told[1].splitlines()[1])["goals"][0]["goal"] == str(made.pk)
    delegation.manage(delegation.for_goal(goal.pk), str(made.pk), "steer", "softly")
    delegation.manage(delegation.for_goal(goal.pk), str(made.pk), "pause", "")
    made.refresh_from_db()
    assert (made.status, made.words) == ("paused", 1)


def test_who_cancels_a_goal_cancels_what_it_has_made(acting, submit, owner):
    goal = submit("Delegate")
    made = services.submit(owner=owner, objective="One below", parent=goal)
    below = services.submit(owner=owner, objective="Two below", parent=made)
    services.cancel(owner, goal.pk)
    assert set(Goal.objects.values_list("status", flat=True)) == {"cancelled"}
    assert Goal.objects.get(pk=below.pk).root_id == goal.pk
    assert rules.violations() == []


def test_work_that_only_searches_makes_no_goals(acting, endpoint):
    goal, [told] = acting(asks("goal_create", objective="Look into it"), operation="search")
    assert told == "error: goal_create is not offered for this task: nothing was done"
    assert not Goal.objects.filter(parent=goal).exists()
    offered = {tool["function"]["name"] for tool in endpoint.named("act")[0]["body"]["tools"]}
    assert "goal_status" in offered
    assert not offered & {"goal_create", "goal_manage"}
