"""Goals that tick off checkpoints: one that goes nowhere is paused, one that recovers is not."""

from decimal import Decimal

from goals import services
from goals.models import ProgressScore
from goals.states import GoalStatus
from tests.goals.test_model_goals import DONE, MET, plan, step

FOUR = plan(*(step(f"Step {number}") for number in range(4)))
TWELVE = plan(*(step(f"Step {number}") for number in range(12)))


def seen(score, *, on_track=False, revise=False):
    said = {"on_track": on_track, "score": score, "revise": revise, "reasoning": f"about {score}"}
    return {"reply": said}


NOWHERE = seen(0.1, revise=True)


def test_a_goal_that_ticks_off_checkpoints_and_goes_nowhere_is_paused(endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=FOUR, revise_plan=FOUR, act=DONE, judge_outcome=MET)
    endpoint.script["evaluate_progress"] = NOWHERE
    goal = settle(submit())
    assert (goal.status, goal.paused_for) == (GoalStatus.PAUSED, "no_progress")
    assert goal.checkpoints.filter(status="completed").count() == 6
    assert goal.progress_scores.count() == 3
    assert len(endpoint.named("revise_plan")) == 2


def test_a_goal_that_recovers_is_not_paused_and_keeps_what_was_completed(endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=FOUR, revise_plan=FOUR, act=DONE, judge_outcome=MET)
    endpoint.script["evaluate_progress"] = [NOWHERE, NOWHERE, seen(0.6, on_track=True), NOWHERE, NOWHERE]
    goal = settle(submit(limits={"model_calls": 1000}), seconds=60)
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    scores = list(goal.progress_scores.values_list("score", flat=True))
    assert scores[:3] == [0.1, 0.1, 0.6]
    first = goal.checkpoints.order_by("position")[:2]
    assert [(row.title, row.status) for row in first] == [("Step 0", "completed"), ("Step 1", "completed")]


def test_each_evaluation_is_kept_with_what_was_spent_by_then_and_told_to_the_next(endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=plan(*(step(f"Step {n}") for n in range(5))), act=DONE, judge_outcome=MET)
    endpoint.script["evaluate_progress"] = [seen(0.4, on_track=True), seen(0.8, on_track=True)]
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED
    first, second = goal.progress_scores.all()
    assert (first.position, second.position) == (1, 3)
    assert (first.score, second.score, second.reasoning) == (0.4, 0.8, "about 0.8")
    assert 0 < first.cost_usd < second.cost_usd < goal.budgets.get(resource="cost_usd").used
    assert 0 < first.tokens < second.tokens
    told = endpoint.named("evaluate_progress")[1]["body"]["messages"][-1]["content"]
    assert '"score":0.4' in told


def test_too_little_progress_for_the_money_pauses_and_a_person_may_go_on(endpoint, submit, settle, owner, settings):
    settings.GOALSITE_MIN_PROGRESS_PER_USD = Decimal(1000)
    endpoint.script.update(plan_checkpoints=TWELVE, act=DONE, judge_outcome=MET)
    endpoint.script["evaluate_progress"] = seen(0.4, on_track=True)
    goal = settle(submit())
    assert (goal.status, goal.paused_for) == (GoalStatus.PAUSED, "no_progress")
    assert "money" in goal.reason
    assert ProgressScore.objects.filter(goal=goal).count() == 3
    services.resume(owner, goal.pk)
    goal = settle(goal)
    assert (goal.paused_for, goal.progress_scores.count()) == ("no_progress", 5), "two more evaluations, not one"


def test_without_a_floor_money_pauses_nothing(endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=TWELVE, act=DONE, judge_outcome=MET)
    endpoint.script["evaluate_progress"] = seen(0.4, on_track=True)
    assert settle(submit()).status == GoalStatus.COMPLETED
