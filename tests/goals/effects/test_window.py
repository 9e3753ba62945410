"""The acting loop within the model's window: what is sent, what is dropped, and where all of it is kept."""

import json
import re

import pytest

from artifacts.resolving import value_of
from artifacts.services import lookup
from goals import answers
from goals.llm.bounds import upper_bound
from goals.models import ModelCall, ToolCall
from goals.states import EffectClass, GoalStatus
from goals.tools.base import ToolResult
from tests.goals.test_model_goals import DONE, MET, plan, step

WINDOW, OUTPUT = 25_000, 2_000
DROPPED = re.compile(r"\[dropped to save room: (\d+) characters; all of it is kept as @([\w-]+)(?::(\d+))?\]")
CUT = re.compile(r"… cut: (\d+) characters in all; all of it is kept as @([\w-]+)(?::(\d+))?")


@pytest.fixture
def small_window(settings):
    settings.GOALSITE_CONTEXT_TOKENS = WINDOW
    settings.GOALSITE_MODEL_MAX_OUTPUT_TOKENS = OUTPUT


@pytest.fixture
def look(tool):
    """A tool that gives 3,000 characters that tell one call from another."""
    return tool("look", EffectClass.PURE, lambda given, _: ToolResult(f"{given.number}:" + "x" * 3_000, "looked"))


def calling(name, **arguments):
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def told_in(request):
    return [message["content"] for message in request["body"]["messages"] if message["role"] == "tool"]


def whole(goal, found):
    name, version = found
    return value_of(lookup(goal.artifact_context_id, name, int(version) if version else None))


def test_no_request_is_larger_than_the_window_and_what_was_dropped_is_named_and_kept(
    endpoint, submit, settle, small_window, look
):
    turns = [*(calling("look", number=n) for n in range(12)), DONE]
    endpoint.script.update(plan_checkpoints=[plan(step(tools=["look"]))], act=turns, judge_outcome=MET)
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED
    requests = endpoint.named("act")
    assert len(requests) == 13
    for request in requests:
        body = request["body"]
        bound, _ = upper_bound(body["messages"], body["tools"], OUTPUT, "act")
        assert bound + OUTPUT <= WINDOW
    told = told_in(requests[-1])
    assert len(told) == 12, "every call keeps its answer"
    dropped = [(n, DROPPED.search(text)) for n, text in enumerate(told) if "dropped" in text]
    assert 0 < len(dropped) < 12
    assert [n for n, _ in dropped] == list(range(len(dropped))), "the oldest first"
    for number, found in dropped:
        assert whole(goal, found.groups()[1:]) == f"{number}:" + "x" * 3_000
    assert "11:xxx" in told[-1]


def test_what_was_named_is_dropped_to_that_very_version(endpoint, submit, settle, small_window, look):
    named = [{"name": "seen", "type": "text", "description": "What was seen"}]
    turns = [*(calling("look", number=n, outputs=named) for n in range(12)), DONE]
    endpoint.script.update(plan_checkpoints=[plan(step(tools=["look"]))], act=turns, judge_outcome=MET)
    goal = settle(submit())
    first = DROPPED.search(told_in(endpoint.named("act")[-1])[0])
    assert first.group(2, 3) == ("seen", "1")
    assert whole(goal, first.group(2, 3)).startswith("0:")


def test_a_loop_that_is_rebuilt_says_the_same(endpoint, submit, settle, small_window, look, tool, owner):
    asking = tool("ask_first", EffectClass.EXTERNAL, lambda *_: ToolResult("sent", "sent"))
    asking.risk = "dangerous"
    turns = [*(calling("look", number=n) for n in range(12)), calling("ask_first"), calling("look", number=12), DONE]
    endpoint.script.update(plan_checkpoints=[plan(step(tools=["look", "ask_first"]))], act=turns, judge_outcome=MET)
    goal = settle(submit())
    before = endpoint.named("act")[-1]["body"]["messages"]
    assert any("dropped" in str(message["content"]) for message in before)
    answers.answer(owner, goal.questions.open().get().pk, True)
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED
    assert len(look.keys) == 13, "nothing is looked at twice"
    after = endpoint.named("act")[13]["body"]["messages"]
    for said, again in zip(before, after[: len(before)], strict=True):
        assert again == said or "dropped" in str(again["content"])
    versions = goal.artifact_context.artifacts.filter(name__startswith="look-").values_list("version", flat=True)
    assert set(versions) == {1}, "and nothing is kept twice"


def test_a_result_above_its_share_is_cut_to_its_head_and_kept_whole(endpoint, submit, settle, tool):
    tool("look", EffectClass.PURE, lambda *_: ToolResult({"text": "y" * 50_000, "n": 1}, "looked"))
    part = [{"name": "n", "type": "data", "description": "A part of it"}]
    turns = [calling("look"), calling("look", number=1, outputs=part), DONE]
    endpoint.script.update(plan_checkpoints=[plan(step(tools=["look"]))], act=turns, judge_outcome=MET)
    goal = settle(submit())
    for text in told_in(endpoint.named("act")[-1]):
        assert len(text) < 13_000
        assert whole(goal, CUT.search(text).groups()[1:]) == {"text": "y" * 50_000, "n": 1}
    assert value_of(lookup(goal.artifact_context_id, "n")) == 1


def test_results_of_one_reply_share_the_room(endpoint, submit, settle, small_window, look):
    many = {"tool_calls": [{"name": "look", "arguments": {"number": n}} for n in range(10)]}
    endpoint.script.update(plan_checkpoints=[plan(step(tools=["look"]))], act=[many, many, DONE], judge_outcome=MET)
    assert settle(submit()).status == GoalStatus.COMPLETED
    for request in endpoint.named("act"):
        assert len(json.dumps(request["body"]["messages"])) < WINDOW - OUTPUT
        last = [text.split("\n")[1][:3] for text in told_in(request)[-10:]]
        assert last in ([], [f'"{n}:' for n in range(10)]), "the last turn stays, a head of each"


def test_what_a_loop_stores_does_not_grow_with_its_turns(endpoint, submit, settle, look):
    turns = [*(calling("look", number=n) for n in range(5)), DONE]
    endpoint.script.update(plan_checkpoints=[plan(step(tools=["look"]))], act=turns, judge_outcome=MET)
    goal = settle(submit())
    stored = [len(call.request["messages"]) for call in ModelCall.objects.filter(goal=goal, purpose="act")]
    assert sorted(stored) == [1, 1, 1, 1, 1, 2]
    assert not ToolCall.objects.filter(goal=goal).exclude(status="succeeded").exists()
    assert not goal.artifact_context.artifacts.filter(name__startswith="look-").exists(), "what fits is not kept twice"
