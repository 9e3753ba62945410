"""Budgets under a crowd: many connections of several processes against one limit."""

import json
import subprocess
import sys
import time
from decimal import Decimal
from itertools import product

import pytest

from goals import budget, lease, services
from goals.effects import journal, ledger
from goals.exceptions import BudgetExceeded, BudgetHeld, InvalidInput, StaleGoal
from goals.models import Goal, ModelCall, ToolCall
from goals.states import EffectClass, EffectStatus, GoalStatus, PauseReason, Resource
from goals.transitions import writing
from goalsite.children import BASE_DIR
from tests.goals import rules
from tests.goals import test_trees as trees
from tests.goals.effects.work import last_is, model_row, plan, reserved, step

DONE = {"reply": {"status": "done", "result": "Yes.", "outputs": []}}
MET = {"reply": {"met": True, "score": 1, "reason": "so", "evidence": ""}}


def crowd(environment, goal, epoch, *, processes=2, threads=10, each=50, settle=False):
    """Let processes with many threads intend effects on one goal; returns how many each kind of answer came."""
    order = {"goal": str(goal.pk), "epoch": epoch, "threads": threads, "each": each, "settle": settle}
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.goals.effects.crowd", json.dumps({**order, "name": str(number)})],
            cwd=BASE_DIR,
            env={**environment, "DJANGO_SETTINGS_MODULE": "goalsite.settings"},
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    found = {}
    for process in running:
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        for name, count in json.loads(out).items():
            found[name] = found.get(name, 0) + count
    return found


def test_a_thousand_reservations_at_once_never_exceed_a_limit(working, site_environment):
    goal, epoch = working(limits={"model_calls": 137, "tokens": 1_000_000})
    answers = crowd(site_environment, goal, epoch)
    assert answers == {"granted": 137, "model_calls": 863}
    assert reserved(goal) == {"model_calls": 137, "tokens": 1370}
    assert ModelCall.objects.filter(goal=goal).count() == 137
    assert rules.violations() == []


def test_reserving_and_settling_at_once_counts_everything_once(working, site_environment):
    goal, epoch = working(limits={"model_calls": 150, "tokens": 1_000_000})
    answers = crowd(site_environment, goal, epoch, threads=6, each=20, settle=True)
    used = goal.budgets.get(resource="model_calls").used
    assert answers["granted"] == used == 150
    assert sum(answers.values()) == 240
    assert goal.budgets.get(resource="tokens").used == 150 * 7
    assert reserved(goal) == {}
    goal.refresh_from_db()
    assert rules.violations() == []


def test_a_fork_draws_on_the_budget_of_its_root(working):
    goal, epoch = working(limits={"model_calls": 1})
    twin = services.fork(goal.owner, goal.pk)
    (taken,) = lease.claim(1, [twin.pk])
    journal.intend(goal, epoch, model_row(goal, "s"), {Resource.MODEL_CALLS: Decimal(1)})
    with pytest.raises(Exception, match="model_calls"):
        journal.intend(twin, taken.epoch, model_row(twin, "t"), {Resource.MODEL_CALLS: Decimal(1)})


def test_the_database_settles_as_the_pure_rule_says(working):
    goal, _ = working(limits={"tokens": 10})
    row = goal.budgets.get(resource="tokens")
    sizes = [Decimal(0), Decimal(3), Decimal(10), Decimal(25)]
    for limit, used, held, given_back, taken in product([None, *sizes], *[sizes] * 4):
        if limit is not None and used + held > limit:
            continue
        row.limit, row.used, row.reserved = limit, used, held
        row.save()
        ledger.settle(goal, {"tokens": given_back}, {Resource.TOKENS: taken})
        row.refresh_from_db()
        expected = budget.settled(budget.Line(Resource.TOKENS, limit, used, held), given_back, taken)
        assert (row.used, row.reserved) == (expected.used, expected.reserved), (limit, used, held, given_back, taken)


def test_seconds_are_granted_as_far_as_they_go_and_at_least_one(working):
    goal, epoch = working(limits={"seconds": 10})
    grants = []
    for scope in "abc":
        intent = journal.intend(goal, epoch, model_row(goal, scope), {Resource.SECONDS: Decimal("4.5")})
        grants.append(intent.seconds)
    assert grants == [4.5, 4.5, 1.0]
    with pytest.raises(Exception, match="seconds"):
        journal.intend(goal, epoch, model_row(goal, "d"), {Resource.SECONDS: Decimal("4.5")})


def acting(submit, **limits):
    goal = submit("Act", verifier={"type": "llm"}, limits=limits)
    step(goal, 0, "execute", {"instructions": "act"}, operation="think")
    return plan(goal)


def test_a_goal_out_of_budget_pauses_and_goes_on_where_it_stood_when_the_limit_is_raised(endpoint, submit, settle):
    endpoint.script.update(act=DONE, judge_outcome=MET)
    goal = settle(acting(submit, model_calls=1))
    assert (goal.status, goal.paused_for) == (GoalStatus.PAUSED, PauseReason.BUDGET)
    assert "model_calls" in goal.reason
    assert goal.events.filter(kind="budget.exceeded").count() == 1
    assert len(endpoint.requests) == 1
    services.raise_limits(goal.owner, goal.pk, {"model_calls": "+10"})
    services.resume(goal.owner, goal.pk)
    assert settle(goal).status == GoalStatus.COMPLETED
    assert [request["name"] for request in endpoint.requests] == ["act", "judge_outcome", "judge_outcome"]
    assert rules.violations() == []


def test_a_limit_cannot_be_set_below_what_is_used_or_reserved(working):
    goal, epoch = working(limits={"tokens": 1000})
    journal.intend(goal, epoch, model_row(goal, "s"), {Resource.TOKENS: Decimal(600)})
    with pytest.raises(InvalidInput, match="600"):
        services.raise_limits(goal.owner, goal.pk, {"tokens": 599})
    services.raise_limits(goal.owner, goal.pk, {"tokens": 600})


def test_a_model_without_a_price_is_not_called_for_a_goal_with_a_cost_limit(endpoint, submit, settle, settings):
    settings.GOALSITE_MODEL_PRICE = None
    settings.GOALSITE_MODELS = dict.fromkeys(settings.GOALSITE_MODELS, "a-model-nobody-knows")
    goal = settle(acting(submit, cost_usd=1))
    assert goal.status != GoalStatus.COMPLETED
    assert "GOALSITE_MODEL_PRICE" in str([*goal.events.values_list("payload", flat=True)])
    assert endpoint.requests == []
    assert ModelCall.objects.count() == 0


def test_a_reply_larger_than_was_reserved_is_counted_up_to_the_limit_and_told(endpoint, submit, settle):
    big = {"prompt_tokens": 9_000_000, "completion_tokens": 1_000_000, "total_tokens": 10_000_000}
    endpoint.script.update(act={**DONE, "usage": big}, judge_outcome=MET)
    goal = settle(acting(submit, tokens=100_000, cost_usd=1000))
    tokens = goal.budgets.get(resource="tokens")
    assert (tokens.used, tokens.limit) == (100_000, 100_000)
    told = [event.payload for event in goal.events.filter(kind="budget.exceeded")]
    assert Decimal(told[0]["overrun"]) == 9_900_000
    assert (goal.status, goal.paused_for) == (GoalStatus.PAUSED, PauseReason.BUDGET)
    assert ModelCall.objects.get(goal=goal).input_tokens == 9_000_000
    assert rules.violations() == []


def test_the_database_itself_refuses_a_budget_beyond_its_limit(working):
    goal, _ = working(limits={"tokens": 10})
    with pytest.raises(Exception, match="budget_never_exceeded"):
        goal.budgets.filter(resource="tokens").update(used=11)


def test_what_is_settled_twice_by_mistake_never_frees_what_others_hold(working):
    goal, epoch = working(limits={"tokens": 1000})
    row = journal.intend(goal, epoch, model_row(goal, "s"), {Resource.TOKENS: Decimal(400)}).row
    journal.intend(goal, epoch, model_row(goal, "t"), {Resource.TOKENS: Decimal(500)})
    done = journal.Outcome(EffectStatus.SUCCEEDED, {}, used={Resource.TOKENS: Decimal(1)})
    with writing(goal.pk, epoch=epoch) as writer:
        journal.record(writer, row, done)
    with pytest.raises(StaleGoal, match="settled"), writing(goal.pk, epoch=epoch) as writer:
        journal.record(writer, row, done)
    assert reserved(goal) == {"tokens": 500}
    assert Goal.objects.get(pk=goal.pk).events.filter(kind="model.called").count() == 1


def test_no_budget_row_is_met_by_a_verifier_that_costs_nothing(submit, settle):
    goal = settle(plan(submit("Nothing", verifier=last_is("never"), limits={"model_calls": 1})))
    assert goal.budgets.get(resource="cost_usd").used == 0


def test_a_call_waits_for_what_its_sibling_has_reserved_instead_of_pausing_the_goal(endpoint, submit, settle, tool):
    """Each of two tools side by side is granted all the time that is left, and uses next to none of it."""
    tool("slow", EffectClass.PURE, lambda *_: time.sleep(0.5))
    works = [
        trees.child(f"number {n}", predicate="use_tool", operation=None, args={"tool": "slow", "input": {"number": n}})
        for n in range(3)
    ]
    endpoint.script.update(
        plan_checkpoints=[trees.plan(trees.step(predicate="composite"))],
        atomize=trees.PLAN,
        plan_subgoals=trees.children("AND", *works),
        judge_outcome=MET,
    )
    goal = settle(submit(limits={"seconds": 60}))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert not goal.events.filter(kind="goal.paused").exists()
    assert ToolCall.objects.filter(goal=goal, tool="slow", status="succeeded").count() == 3
    assert rules.violations() == []


@pytest.mark.parametrize(
    ("mine", "others", "kind"), [(600, 0, BudgetHeld), (0, 600, BudgetExceeded), (300, 300, BudgetExceeded)]
)
def test_only_what_the_goals_own_calls_hold_is_waited_for(working, mine, others, kind):
    goal, epoch = working(limits={"tokens": 1000})
    twin = services.fork(goal.owner, goal.pk)
    (taken,) = lease.claim(1, [twin.pk])
    journal.intend(goal, epoch, model_row(goal, "s"), {Resource.TOKENS: Decimal(mine)})
    journal.intend(twin, taken.epoch, model_row(twin, "t"), {Resource.TOKENS: Decimal(others)})
    with pytest.raises(BudgetExceeded) as refused:
        journal.intend(goal, epoch, model_row(goal, "u"), {Resource.TOKENS: Decimal(800)})
    assert type(refused.value) is kind
