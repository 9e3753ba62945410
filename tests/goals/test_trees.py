"""Composite subgoals through the whole shell: children side by side, fallback, dependencies, aggregation."""

import json
import time

from goals.models import Checkpoint, Subgoal
from goals.states import GoalStatus
from tests.goals.crew import PLAN, STUCK, child, children, result
from tests.goals.test_model_goals import DONE, MET, plan, step


def act_by_task(endpoint, said):
    """Let the endpoint's answer to `act` depend on the task; anything else is done."""
    original = endpoint._next

    def next_action(name, *seen):
        if name != "act":
            return original(name, *seen)
        body = json.dumps(endpoint.requests[-1]["body"], ensure_ascii=False)
        return next((action for word, action in said.items() if word in body), DONE)

    endpoint._next = next_action


def test_independent_children_run_side_by_side_and_become_one_result(endpoint, submit, settle):
    drafts = [child(f"look for {fruit}") for fruit in ("apples", "pears", "plums")]
    held = {"hold": lambda: len(endpoint.named("act")) == 3}
    fruits = {f"look for {fruit}": {**result(fruit), **held} for fruit in ("apples", "pears", "plums")}
    endpoint.script.update(
        plan_checkpoints=[plan(step(predicate="composite"))],
        atomize=PLAN,
        plan_subgoals=[children("AND", *drafts)],
        judge_outcome=MET,
        aggregate={"reply": {"result": "apples, pears and plums", "outputs": []}},
    )
    act_by_task(endpoint, fruits)
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert Checkpoint.objects.get(goal=goal).result_summary == "apples, pears and plums"
    told = endpoint.named("aggregate")[0]["body"]["messages"][-1]["content"]
    assert all(fruit in told for fruit in ("apples", "pears", "plums"))


def test_a_child_waits_for_what_it_depends_on(endpoint, submit, settle):
    drafts = [child("gather"), child("then conclude", depends_on=[0])]
    endpoint.script.update(
        plan_checkpoints=[plan(step(predicate="composite"))],
        atomize=PLAN,
        plan_subgoals=[children("AND", *drafts)],
        judge_outcome=MET,
    )
    act_by_task(endpoint, {"then conclude": result("second"), '\\"gather': {**result("first"), "delay": 0.3}})
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    first, second = Subgoal.objects.filter(goal=goal, parent__isnull=False).order_by("position")
    assert second.started_at >= first.finished_at


def test_the_next_alternative_opens_when_one_fails_and_the_others_do_not_run(endpoint, submit, settle, monkeypatch):
    from goals import retry

    monkeypatch.setattr(retry, "BASE_SECONDS", 0.01)
    drafts = [child("by road"), child("by rail"), child("by air")]
    endpoint.script.update(
        plan_checkpoints=[plan(step(predicate="composite"))],
        atomize=PLAN,
        plan_subgoals=[children("OR", *drafts)],
        judge_outcome=MET,
    )
    act_by_task(endpoint, {"by road": STUCK, "by rail": result("arrived")})
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    statuses = Subgoal.objects.filter(goal=goal, parent__isnull=False).order_by("position")
    assert [s.status for s in statuses] == ["abandoned", "achieved", "skipped"]
    assert not any("by air" in json.dumps(request["body"]["messages"]) for request in endpoint.named("act"))


def test_a_finished_parent_is_never_planned_again(endpoint, submit, settle):
    endpoint.script.update(
        plan_checkpoints=[plan(step(predicate="composite"), step("Second"))],
        atomize=PLAN,
        plan_subgoals=[children("AND", child("one"), child("two"))],
        judge_outcome=MET,
        aggregate={"reply": {"result": "both", "outputs": []}},
    )
    act_by_task(endpoint, {"one": result("1"), "two": result("2")})
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert len(endpoint.named("plan_subgoals")) == 1


def test_a_failed_child_fails_its_parent_and_the_plan_is_made_anew(endpoint, submit, settle, monkeypatch):
    from goals import retry

    monkeypatch.setattr(retry, "BASE_SECONDS", 0.01)
    endpoint.script.update(
        plan_checkpoints=[plan(step(predicate="composite"))],
        atomize=PLAN,
        plan_subgoals=children("AND", child("try the locked door")),
        judge_outcome=MET,
        revise_plan=[plan(step("Use the window"))],
    )
    act_by_task(endpoint, {"try the locked door": STUCK})
    began = time.monotonic()
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert [c.status for c in goal.checkpoints.order_by("position")] == ["failed", "completed"]
    assert time.monotonic() - began < 30
