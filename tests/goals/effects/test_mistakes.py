"""Mistakes of the model in an acting loop: told twice, never carried out, and never a loop without progress."""

import json

from goals import answers
from goals.models import Subgoal, ToolCall
from goals.states import EffectClass, GoalStatus
from goals.tools.base import ToolResult
from tests.goals.test_model_goals import DONE, MET, UNMET, plan, step

WRONG = {"name": "read_file", "arguments": {"file": "x"}}
OTHER = {"name": "no_such_tool", "arguments": {}}


def calls(*made):
    return {"tool_calls": list(made)}


def work(endpoint, submit, settle, *turns, **wishes):
    endpoint.script.update(plan_checkpoints=[plan(step())], act=list(turns), judge_outcome=MET)
    return settle(submit(**wishes))


def test_the_same_mistake_a_third_time_in_a_row_ends_the_attempt_with_its_reason(endpoint, submit, settle):
    goal = work(endpoint, submit, settle, calls(WRONG), calls(WRONG), calls(WRONG), DONE)
    assert goal.status == GoalStatus.COMPLETED
    assert Subgoal.objects.get(goal=goal).attempts == 2
    told = json.dumps(endpoint.named("act")[3]["body"]["messages"])
    assert "the same mistake 3 times in a row: read_file: error: missing arguments: path" in told


def test_a_mistake_that_is_mended_or_another_one_begins_anew(endpoint, submit, settle):
    turns = [calls(WRONG), calls(WRONG), calls(OTHER), calls(WRONG), calls(WRONG), DONE]
    goal = work(endpoint, submit, settle, *turns)
    assert (goal.status, Subgoal.objects.get(goal=goal).attempts) == (GoalStatus.COMPLETED, 1)


def test_the_same_mistake_in_one_reply_is_told_before_it_counts_again(endpoint, submit, settle):
    goal = work(endpoint, submit, settle, calls(WRONG, WRONG, WRONG, WRONG), DONE)
    assert (goal.status, Subgoal.objects.get(goal=goal).attempts) == (GoalStatus.COMPLETED, 1)
    answers_ = [m["content"] for m in endpoint.named("act")[1]["body"]["messages"] if m["role"] == "tool"]
    assert len(answers_) == 4
    assert all(text.startswith("error: ") for text in answers_)


def test_a_model_that_never_mends_its_mistake_comes_to_an_end(endpoint, submit, settle, monkeypatch):
    from goals import retry

    monkeypatch.setattr(retry, "BASE_SECONDS", 0.01)
    endpoint.script.update(plan_checkpoints=[plan(step())], act=calls(WRONG), revise_plan=plan(), judge_outcome=UNMET)
    goal = settle(submit())
    assert goal.status == GoalStatus.FAILED
    assert len(endpoint.named("act")) == 27, "3 turns, 3 tries, 3 attempts"


def test_a_call_that_fails_with_other_arguments_each_time_is_no_repeated_mistake(endpoint, submit, settle, tmp_path):
    turns = [calls({"name": "read_file", "arguments": {"path": f"{n}.txt"}}) for n in range(4)]
    goal = work(endpoint, submit, settle, *turns, DONE, workspace=str(tmp_path))
    assert (goal.status, Subgoal.objects.get(goal=goal).attempts) == (GoalStatus.COMPLETED, 1)


def test_more_tool_calls_than_anybody_means_are_not_carried_out(endpoint, submit, settle, tool):
    made = tool("look", EffectClass.PURE)
    goal = work(endpoint, submit, settle, calls(*[{"name": "look", "arguments": {}}] * 500), DONE)
    assert goal.status == GoalStatus.COMPLETED
    assert made.keys == []
    assert "500 tool calls at once" in json.dumps(endpoint.named("act")[1]["body"]["messages"])


def test_arguments_of_any_shape_go_back_as_errors(endpoint, submit, settle):
    shapes = ["", "[]", "null", "{", "[" * 100_000, '{"path": ' + '{"a": ' * 500 + "1" + "}" * 501, '"x"', "\ud800"]
    turns = [calls({"name": "read_file", "arguments": text}) for text in shapes]
    goal = work(endpoint, submit, settle, *turns, DONE)
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert not ToolCall.objects.filter(goal=goal, status="succeeded").exists()


def test_what_the_model_was_told_is_not_told_otherwise_when_the_loop_is_rebuilt(endpoint, submit, settle, tool, owner):
    """An unknown reference was an error; that the artifact exists by now must not carry the call out after all."""
    look = tool("look", EffectClass.PURE)
    asking = tool("ask_first", EffectClass.EXTERNAL, lambda *_: ToolResult(7, "sent"))
    asking.risk = "dangerous"
    named = [{"name": "later", "type": "data", "description": "made later"}]
    turns = [
        calls({"name": "look", "arguments": {"number": "@later"}}),
        calls({"name": "look", "arguments": {"number": 7, "outputs": named}}),
        calls({"name": "ask_first", "arguments": {}}),
        DONE,
    ]
    goal = work(endpoint, submit, settle, *turns)
    answers.answer(owner, goal.questions.open().get().pk, True)
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED
    assert len(look.keys) == 1
    assert ToolCall.objects.filter(goal=goal, tool="look").count() == 1


def test_an_external_call_of_an_earlier_attempt_is_kept_under_the_name_that_this_one_gives(
    endpoint, submit, settle, tool
):
    booking = tool("book", EffectClass.EXTERNAL, lambda *_: ToolResult("booked", "booked"))

    def book(name):
        outputs = [{"name": name, "type": "data", "description": "the booking"}]
        return calls({"name": "book", "arguments": {"number": 1, "outputs": outputs}})

    endpoint.script.update(
        plan_checkpoints=[plan(step())],
        act=[book("first"), DONE, book("second"), DONE],
        judge_outcome=[UNMET, MET, MET],
    )
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED
    assert len(booking.keys) == 1, "what is real is not done again"
    names = set(goal.artifact_context.artifacts.values_list("name", flat=True))
    assert {"first", "second"} <= names
