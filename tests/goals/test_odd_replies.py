"""Replies of any shape: bounded, refused with a reason, never a crash of the worker, never a loop without progress."""

import json

import pytest

from goals import retry
from goals.models import Checkpoint, ModelCall, Subgoal
from goals.states import GoalStatus
from tests.goals import rules
from tests.goals.test_model_goals import DONE, MET, UNMET, plan, step
from tests.goals.test_trees import PLAN, child, children

ONCE = {"retries": 0, "replans": 0, "checkpoint_attempts": 1, "revisions": 1, "iterations": 1}
NEVER = {"type": "data", "path": "never.txt", "contains": "x"}
LISTS = {
    "plan_checkpoints": "checkpoints",
    "revise_plan": "checkpoints",
    "plan_subgoals": "subgoals",
    "atomize": "decision",
    "act": "outputs",
}
REST = {
    "plan_checkpoints": {},
    "revise_plan": {},
    "plan_subgoals": {"decomposition": "AND"},
    "atomize": {},
    "act": {"status": "done", "result": "made"},
}
ITEMS = {"checkpoints": step(), "subgoals": child("Count"), "decision": "plan", "outputs": {"name": "x"}}


def odd(name: str) -> dict[str, str]:
    """Texts that are no reply of this prompt, by what is odd about them."""
    field = LISTS[name]
    rest = {**REST[name], "reasoning": "so"} if name != "act" else REST[name]
    many = {**rest, field: [ITEMS[field]] * 10_000}
    return {
        "nothing": "",
        "null": "null",
        "a list": "[]",
        "an empty object": "{}",
        "prose": "I would rather not. " * 20_000,
        "cut short": json.dumps(many)[:-20],
        "ten thousand": json.dumps(many),
        "wrong types": json.dumps({**rest, field: 7, "reasoning": [], "result": {}}),
        "wrong items": json.dumps({**rest, field: [None, 1, "x", [], {}]}),
        "deep": f'{{"{field}": {"[" * 5_000}{"]" * 5_000}}}',
        "deeper still": '{"a":' * 100_000,
        "no number": json.dumps({**rest, field: float("nan")}),
    }


CASES = [(name, what) for name in LISTS for what in odd(name)]


@pytest.fixture(autouse=True)
def at_once_and_at_any_length(monkeypatch, settings, endpoint):
    """Nothing is cut off on its way, and no budget ends before the reply is looked at."""
    monkeypatch.setattr(retry, "BASE_SECONDS", 0.01)
    settings.GOALSITE_MODEL_MAX_OUTPUT_TOKENS = 50_000_000
    settings.GOALSITE_MODEL_PRICE = (0, 0)


@pytest.fixture
def at(endpoint):
    """Script a goal that comes to the prompt in question."""

    def make(name, action):
        kind = "composite" if name in {"plan_subgoals", "atomize"} else "execute"
        operation = None if kind == "composite" else "write"
        endpoint.script.update(
            plan_checkpoints=plan(step(predicate=kind, operation=operation)),
            atomize=PLAN,
            plan_subgoals=children("AND", child("Count")),
            act=DONE,
            judge_outcome=UNMET if name == "revise_plan" else MET,
        )
        endpoint.script[name] = action

    return make


def assert_orderly(goal):
    """It rests with a reason that is no defect of ours, and everything that was asked is settled and paid."""
    assert goal.status in {GoalStatus.FAILED, GoalStatus.PAUSED}, goal.status
    assert goal.reason
    assert "Traceback" not in goal.reason
    assert not ModelCall.objects.filter(goal=goal, status="intended").exists()
    assert rules.violations() == []


@pytest.mark.parametrize(("name", "what"), CASES, ids=[f"{name}: {what}" for name, what in CASES])
def test_what_is_no_reply_ends_after_a_few_tries_with_the_reason(endpoint, submit, settle, at, name, what):
    at(name, {"text": odd(name)[what]})
    goal = settle(submit(options=ONCE, verifier=NEVER))
    assert_orderly(goal)
    assert len(endpoint.named(name)) == 3
    assert len(endpoint.requests) < 12


DEEP: dict = {}
for _ in range(120):
    DEEP = {"in": DEEP}


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        ({"args": DEEP}, "at most 20 levels"),
        ({"args": {"text": "x" * 300_000}}, "20,000 characters"),
        ({"args": {"n": list(range(5_000))}}, "2,000 values"),
    ],
    ids=["deep", "long", "many"],
)
@pytest.mark.parametrize("name", ["plan_checkpoints", "revise_plan", "plan_subgoals"])
def test_a_plan_of_the_right_form_but_no_measure_is_refused_with_its_field(
    endpoint, submit, settle, at, name, draft, said
):
    bad = children("AND", child("Count", **draft)) if name == "plan_subgoals" else plan(step(**draft))
    at(name, bad)
    goal = settle(submit(options=ONCE, verifier=NEVER))
    assert_orderly(goal)
    assert f"{LISTS[name]}[0].args: " in goal.reason
    assert said in goal.reason
    assert len(endpoint.named(name)) == 3
    assert said in endpoint.named(name)[1]["body"]["messages"][-1]["content"]


def test_children_in_a_circle_are_asked_for_again_with_the_circle(endpoint, submit, settle, at):
    circle = children("AND", child("One", depends_on=[1]), child("Two", depends_on=[0]))
    at("plan_subgoals", [circle, children("AND", child("One"), child("Two", depends_on=[0]))])
    goal = settle(submit(options=ONCE))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert "circle: 0 -> 1 -> 0" in endpoint.named("plan_subgoals")[1]["body"]["messages"][-1]["content"]


def test_children_that_are_their_own_task_again_end_in_no_endless_descent(endpoint, submit, settle, at):
    at("plan_subgoals", children("AND", child("Look around in the workspace", predicate="composite")))
    goal = settle(submit(options=ONCE, verifier=NEVER))
    assert_orderly(goal)
    assert "only restates the task" in goal.reason
    assert Subgoal.objects.filter(goal=goal, parent__isnull=False).count() == 0


def test_a_goal_whose_every_plan_is_a_plan_ends_at_the_greatest_depth(endpoint, submit, settle, at):
    parts = [children("AND", child(f"Part {n}", predicate="composite")) for n in range(20)]
    at("plan_subgoals", parts)
    goal = settle(submit(options={**ONCE, "max_depth": 3}))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert len(endpoint.named("plan_subgoals")) == 3


# -- tool calls ---------------------------------------------------------------------------------------------------


def test_ten_thousand_tool_calls_in_one_reply_are_made_by_nobody(endpoint, submit, settle, at):
    at("act", {"tool_calls": [{"name": "list_files", "arguments": {}}] * 10_000})
    goal = settle(submit(options=ONCE, verifier=NEVER))
    assert_orderly(goal)
    assert "it makes 10000 tool calls at once" in Checkpoint.objects.get(goal=goal).failure
    assert not goal.toolcall_set.exists()


NESTED = "[" * 100_000
CALLS = {
    "no json": ("list_files", "{", "not JSON"),
    "no object": ("list_files", "[1]", "must be a JSON object"),
    "null": ("list_files", "null", "must be a JSON object"),
    "nested": ("list_files", NESTED, "not JSON"),
    "a deep argument": ("list_files", json.dumps({"path": DEEP}), "path"),
    "an unknown tool": ("spade", "{}", "no tool 'spade'"),
    "no tool": ("", "{}", "no tool"),
    "a long name": ("x" * 5_000, "{}", "no tool"),
    "outputs that are none": ("list_files", '{"outputs": [{"name": "a b"}]}', "each needs a name"),
    "an unknown reference": ("list_files", '{"path": "@shed"}', "no artifact @shed"),
}


@pytest.mark.parametrize(("tool", "arguments", "said"), CALLS.values(), ids=list(CALLS))
def test_a_call_that_cannot_be_made_is_told_to_the_model(endpoint, submit, settle, at, tool, arguments, said):
    at("act", {"tool_calls": [{"name": tool, "arguments": arguments}], "then": DONE})
    goal = settle(submit(options=ONCE))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    told = endpoint.named("act")[1]["body"]["messages"][-1]
    assert told["role"] == "tool"
    assert "error" in told["content"]
    assert said in told["content"]


def test_a_model_that_only_ever_calls_tools_comes_to_an_end(endpoint, submit, settle, at, settings):
    settings.GOALSITE_MAX_TURNS = 4
    at("act", {"tool_calls": [{"name": "list_files", "arguments": {}}]})
    goal = settle(submit(options=ONCE, verifier=NEVER))
    assert_orderly(goal)
    assert len(endpoint.named("act")) == 4
    assert "not done after 4 turns" in Checkpoint.objects.get(goal=goal).failure
