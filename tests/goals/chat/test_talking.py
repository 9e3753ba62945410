"""Replies that use the goal tools: streamed through the real client, for the conversation's owner and nobody else."""

import json

import pytest
from django.contrib.auth import get_user_model

from goals import services
from goals.chat import claims, conversations, talking
from goals.chat.interpreter import interpret_waiting
from goals.chat.setting import look
from goals.exceptions import StaleGoal
from goals.llm.exchange import ToolCallRequest
from goals.models import Goal, Message, ToolCall
from goals.tools.errors import ToolError

pytestmark = pytest.mark.django_db(transaction=True)


def asks(name, **arguments):
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


@pytest.fixture
def talk(endpoint, post, said):
    """Say something that is answered with these replies; returns what is said last."""

    def run(*replies, words="Please see to it"):
        endpoint.script["interpret_message"] = {"reply": {"action": "continue", "reasoning": "r"}}
        endpoint.script["chat_reply"] = list(replies)
        post(words)
        interpret_waiting()
        return said()[-1]

    return run


def told(endpoint):
    """What the model was told of its tool calls, at last."""
    messages = endpoint.named("chat_reply")[-1]["body"]["messages"]
    return [message["content"] for message in messages if message["role"] == "tool"]


def test_a_goal_is_created_by_the_reply_and_belongs_to_the_owner(endpoint, talk, conversation, owner):
    last = talk(asks("goal_create", objective="Sort my files"), {"text": "I have set it as a goal."})
    assert last == ("assistant", "I have set it as a goal.")
    goal = Goal.objects.get()
    assert (goal.owner, goal.conversation, goal.objective, goal.parent) == (owner, conversation, "Sort my files", None)
    assert goal.budgets.count() == 4
    assert [request["stream"] for request in endpoint.named("chat_reply")] == [True, True]
    assert str(goal.pk) in told(endpoint)[0]
    row = ToolCall.objects.get()
    assert (row.conversation, row.goal, row.status, row.effect_class) == (
        conversation,
        None,
        "succeeded",
        "transactional",
    )
    assert row.model_call.purpose == "chat_reply"


def test_the_three_tools_are_offered_and_no_others(endpoint, talk):
    talk({"text": "Hello."})
    offered = [tool["function"]["name"] for tool in endpoint.named("chat_reply")[0]["body"]["tools"]]
    assert offered == ["goal_create", "goal_status", "goal_manage"]


def test_the_goal_of_the_conversation_is_managed_and_the_same_words_do_not_steer_it_as_well(
    endpoint, talk, conversation, owner
):
    goal = services.submit(owner=owner, objective="Sort my files", conversation=conversation)
    talk(asks("goal_manage", action="pause", text="lunch"), {"text": "It rests."}, words="Let it rest please")
    goal.refresh_from_db()
    assert (goal.status, goal.reason, goal.words) == ("paused", "lunch", 0)


def test_looking_how_goals_stand_changes_nothing_and_the_words_still_steer(endpoint, talk, conversation, owner):
    goal = services.submit(owner=owner, objective="Sort my files", conversation=conversation)
    services.submit(owner=owner, objective="In another conversation")
    talk(asks("goal_status"), {"text": "It makes a plan."}, words="Mind the photographs.")
    [found] = json.loads(told(endpoint)[0].splitlines()[1])["goals"]
    assert (found["goal"], found["in_words"]) == (str(goal.pk), "Making a plan")
    goal.refresh_from_db()
    assert goal.steering[-1]["text"] == "Mind the photographs."


@pytest.mark.parametrize("powerful", [False, True])
def test_the_goal_of_somebody_else_is_no_such_goal_whatever_the_person_may_do_elsewhere(
    endpoint, talk, owner, powerful
):
    owner.is_superuser = powerful
    owner.save()
    foreign = services.submit(owner=get_user_model().objects.create_user("eve"), objective="Of somebody else")
    key = str(foreign.pk)
    talk(
        asks("goal_status", goal=key),
        asks("goal_manage", goal=key, action="cancel"),
        asks("goal_manage", goal="x' OR 1", action="cancel"),
        {"text": "I cannot."},
    )
    assert [text[:28] for text in told(endpoint)] == ["error: there is no such goal"] * 3
    foreign.refresh_from_db()
    assert foreign.status == "planning"


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (asks("run_command", command="rm"), "there is no tool 'run_command'"),
        (asks("goal_manage", action="raise_limits"), "action"),
        (asks("goal_create", objective="x", limits={"cost_usd": 9}), "limits"),
        (asks("goal_create", objective="x", verifier={"type": "command"}), "verifier"),
        (asks("goal_manage", action="steer"), "say which goal"),
        ({"tool_calls": [{"name": "goal_create", "arguments": "[]"}]}, "must be an object"),
    ],
)
def test_a_mistake_is_told_to_the_model_and_changes_nothing(endpoint, talk, call, problem):
    assert talk(call, {"text": "I cannot."}) == ("assistant", "I cannot.")
    assert told(endpoint)[0].startswith("error: ")
    assert problem in told(endpoint)[0]
    assert not Goal.objects.exists()


def test_arguments_that_are_no_json_are_refused_by_name():
    with pytest.raises(ToolError, match="not JSON"):
        talking._understood(ToolCallRequest("1", "goal_create", "{"))


def test_what_a_tool_has_done_is_not_done_again_when_the_reply_fails_afterwards(
    endpoint, talk, owner, conversation, said
):
    assert talk(asks("goal_create", objective="Sort my files"), {"status": 400})[0] == "system"
    number = Message.objects.filter(role="user").get().number
    conversations.retry(owner, conversation.pk, number)
    endpoint.script["chat_reply"] = {"text": "It is set."}
    interpret_waiting()
    assert said()[-1] == ("assistant", "It is set.")
    assert Goal.objects.count() == ToolCall.objects.count() == 1
    assert "Goal" in told(endpoint)[0]


def test_a_reader_whose_claim_is_gone_does_nothing(endpoint, post, conversation):
    endpoint.script["chat_reply"] = [asks("goal_create", objective="Sort my files")]
    message = post("Please see to it")
    [late] = claims.take(1)
    setting = look(message.pk)
    Message.objects.filter(pk=message.pk).update(claims=late.number + 1)
    with pytest.raises(StaleGoal):
        talking.reply(setting, late, lambda piece: None)
    assert not Goal.objects.exists()


def test_a_model_that_never_stops_asking_is_stopped(endpoint, talk):
    endpoint_calls = [asks("goal_status")] * 50
    assert talk(*endpoint_calls)[1] == "(The model had nothing to say.)"
    requests = endpoint.named("chat_reply")
    assert len(requests) == talking.MAX_TURNS
    assert "tools" not in requests[-1]["body"]


def test_the_rehearsal_tells_the_status_by_the_tool(endpoint, post, said, conversation, owner):
    services.submit(owner=owner, objective="Sort my files", conversation=conversation)
    endpoint.script["interpret_message"] = {"reply": {"action": "continue", "reasoning": "r"}}
    post("What is the status?")
    interpret_waiting()
    assert "Sort my files" in said()[-1][1]
    assert ToolCall.objects.get().tool == "goal_status"
