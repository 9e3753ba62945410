"""A person's message is read once and done by the services."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from goals import tasks, validation
from goals.chat import claims, conversations, model_calls
from goals.chat.interpreter import interpret, interpret_waiting
from goals.exceptions import InvalidInput, NotFound, StaleGoal
from goals.models import Goal, Message, ModelCall, Question
from goals.tasks import Slice
from tests import planner
from tests.endpoint import Endpoint
from tests.goals.effects.meanwhile import soon

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_wish_becomes_a_goal_of_the_conversation(endpoint, post, conversation, said):
    message = post("Book me a train to Paris")
    assert interpret_waiting() == 1
    goal = Goal.objects.get()
    assert (goal.objective, goal.conversation_id) == ("Book me a train to Paris", conversation.pk)
    assert said()[-1][0] == "assistant"
    message.refresh_from_db()
    assert message.interpreted_at is not None
    assert interpret_waiting() == 0


def test_the_call_is_journaled_on_the_conversation(endpoint, post, conversation):
    post("Book me a train to Paris")
    interpret_waiting()
    call = ModelCall.objects.get()
    assert (call.conversation_id, call.goal_id, call.status) == (conversation.pk, None, "succeeded")
    assert call.key == endpoint.requests[0]["key"]
    assert call.cost_usd > 0
    assert call.input_tokens > 0


def test_the_row_of_a_call_is_there_before_the_call(endpoint, post):
    endpoint.script["interpret_message"] = {"status": 400}
    post("Book me a train")
    interpret_waiting()
    assert ModelCall.objects.get().status == "failed"


def test_messages_of_one_conversation_are_taken_in_their_order(endpoint, owner, post):
    first, second = post("Book me a train"), post("To Paris")
    other = conversations.start(owner)
    elsewhere = conversations.post(owner, other.pk, "Book me a train")
    assert {claim.message_id for claim in claims.take(10)} == {first.pk, elsewhere.pk}
    assert second.pk not in {claim.message_id for claim in claims.take(10)}


def test_no_more_messages_are_taken_than_asked_for_whatever_the_planner_believes(owner, post):
    for _ in range(4):
        conversations.post(owner, conversations.start(owner).pk, "Book me a train")
    planner.believes_it_almost_empty("goals_message")
    assert len(claims.take(2)) == 2


def test_two_workers_never_take_the_same_message(endpoint, post):
    post("Book me a train to Paris")
    threads = [threading.Thread(target=_interpret_and_close) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Goal.objects.count() == 1
    assert len(endpoint.named("interpret_message")) == 1


def _interpret_and_close() -> None:
    interpret_waiting()
    connection.close()


def test_a_crash_costs_only_a_delay(endpoint, post):
    message = post("Book me a train to Paris")
    claims.take(1)
    assert interpret_waiting() == 0
    _pass_lease(message)
    assert interpret_waiting() == 1
    assert Goal.objects.count() == 1


def test_a_reply_recorded_before_a_crash_is_not_paid_again(endpoint, post):
    message = post("Book me a train to Paris")
    [claim] = claims.take(1)
    from goals.chat.setting import look

    setting = look(message.pk)
    model_calls.ask(message, claim, "interpret_message", **setting.for_interpretation()).record()
    _pass_lease(message)
    interpret_waiting()
    assert Goal.objects.count() == 1
    assert len(endpoint.named("interpret_message")) == 1


def test_a_late_worker_changes_nothing(endpoint, post):
    message = post("Book me a train to Paris")
    [late] = claims.take(1)
    _pass_lease(message)
    interpret_waiting()
    interpret(late)
    assert Goal.objects.count() == 1
    with pytest.raises(StaleGoal):
        claims.finish(late)


def test_a_late_worker_cannot_finish_what_another_has_in_hand(endpoint, post):
    message = post("Book me a train to Paris")
    [late] = claims.take(1)
    _pass_lease(message)
    [newer] = claims.take(1)
    interpret(late)
    assert not Goal.objects.exists()
    with pytest.raises(StaleGoal):
        claims.finish(late)
    interpret(newer)
    assert Goal.objects.count() == 1


def test_a_claim_is_kept_while_the_model_takes_its_time(endpoint, post, settings):
    settings.GOALSITE_LEASE_SECONDS = 2
    looked = threading.Event()
    endpoint.script["interpret_message"] = {"hold": looked.is_set}
    message = post("Book me a train to Paris")
    slow = threading.Thread(target=_interpret_and_close)
    slow.start()
    assert soon(lambda: endpoint.requests)
    first = Message.objects.get(pk=message.pk).claimed_until
    assert soon(lambda: timezone.now() > first)
    assert claims.take(1) == []
    looked.set()
    slow.join()
    assert Goal.objects.count() == 1


def _pass_lease(message: Message) -> None:
    Message.objects.filter(pk=message.pk).update(claimed_until=timezone.now() - timedelta(seconds=1))


@pytest.mark.parametrize("fault", [{"status": 500}, {"status": 401}, {"refusal": "I would rather not"}, {"text": "no"}])
def test_a_failure_of_the_model_is_said_and_the_message_can_be_tried_again(
    endpoint, owner, conversation, post, said, fault
):
    endpoint.script["interpret_message"] = fault
    message = post("Book me a train to Paris")
    interpret_waiting()
    assert said()[-1][0] == "system"
    assert "could not be read" in said()[-1][1]
    message.refresh_from_db()
    assert message.failure
    assert not Goal.objects.exists()
    endpoint.script.clear()
    conversations.retry(owner, conversation.pk, message.number)
    assert interpret_waiting() == 1
    assert Goal.objects.count() == 1
    with pytest.raises(StaleGoal):
        conversations.retry(owner, conversation.pk, message.number)


def test_an_endpoint_that_is_left_alone_is_said_at_once(endpoint, post, said, settings):
    settings.GOALSITE_BREAKER_FAILURES = 1
    endpoint.script["interpret_message"] = {"status": 503, "headers": {"Retry-After": "60"}}
    for _ in range(2):
        post("Book me a train to Paris")
        interpret_waiting()
    assert "is left alone, until" in said()[-1][1]
    assert len(endpoint.requests) == ModelCall.objects.count() == 1


def test_a_defect_is_tried_again_a_few_times_and_then_said(endpoint, post, said, monkeypatch, caplog):
    monkeypatch.setattr("goals.chat.interpreter.look", lambda _: 1 / 0)
    message = post("Book me a train")
    for _ in range(5):
        assert said()[-1][0] == "user"
        assert interpret_waiting() == 1
        _pass_lease(message)
    assert said()[-1][0] == "system"
    assert interpret_waiting() == 0


@pytest.fixture
def asking(endpoint: Endpoint, library, post, conversation, settle) -> Goal:
    """A train booking that waits for its first answer."""
    post("Book me a train")
    interpret_waiting()
    return settle(Goal.objects.get())


def test_an_answer_moves_the_goal(asking, post, settle):
    post("Berlin")
    interpret_waiting()
    answered = Question.objects.get(key="origin")
    assert (answered.answer, answered.channel) == ("Berlin", "chat")
    assert Question.objects.open().get(goal=settle(asking)).key == "destination"


def test_a_value_that_does_not_fit_leaves_the_question_open(asking, post, settle, said):
    for text in ("Berlin", "Paris", "on some fine day"):
        post(text)
        interpret_waiting()
        settle(asking)
    assert said()[-1][0] == "system"
    assert "does not fit" in said()[-1][1]
    assert Question.objects.open().get().key == "date"


def test_an_answer_to_a_question_nobody_asked_is_said(endpoint, asking, post, said):
    reply = {"action": "add_evidence", "evidence": [{"key": "colour", "value": "red"}], "reasoning": "r"}
    endpoint.script["interpret_message"] = {"reply": reply}
    post("red")
    interpret_waiting()
    assert said()[-1] == ("system", "I understood an answer to colour, but open is: origin.")
    assert Question.objects.open().count() == 1


def test_a_goal_is_given_up_by_saying_so(asking, post, said):
    post("never mind")
    interpret_waiting()
    asking.refresh_from_db()
    assert asking.status == "cancelled"
    assert said()[-1] == ("assistant", "The goal is cancelled.")


def test_a_remark_steers_the_goal_and_is_answered_in_one_message(endpoint, asking, post, said):
    endpoint.script["interpret_message"] = {"reply": {"action": "continue", "reasoning": "a remark"}}
    endpoint.script["chat_reply"] = {"text": "I will keep that in mind."}
    post("No night trains please.")
    interpret_waiting()
    asking.refresh_from_db()
    assert asking.steering[-1]["text"] == "No night trains please."
    assert said()[-1] == ("assistant", "I will keep that in mind.")
    assert endpoint.named("chat_reply")[0]["stream"] is True


def test_a_question_steers_nothing(endpoint, asking, post):
    endpoint.script["interpret_message"] = {"reply": {"action": "continue", "reply": "All is well.", "reasoning": "r"}}
    post("How does it go?")
    interpret_waiting()
    asking.refresh_from_db()
    assert asking.steering == []


def test_a_stream_that_is_cut_becomes_a_failure_and_no_half_a_message(endpoint, post, said):
    endpoint.script["interpret_message"] = {"reply": {"action": "continue", "reasoning": "small talk"}}
    endpoint.script["chat_reply"] = {"text": "one two three four five six seven eight", "cut": "stream"}
    post("hi")
    interpret_waiting()
    assert [role for role, _ in said()] == ["user", "system"]


@pytest.mark.parametrize("content", ["", "  \n ", None, 7, "a\x00b", "\ud800", "x" * 20_001])
def test_what_cannot_be_said_is_refused_with_its_field(owner, conversation, content):
    with pytest.raises(InvalidInput) as refused:
        conversations.post(owner, conversation.pk, content)
    assert "content" in refused.value.errors
    assert not Message.objects.exists()


def test_nobody_speaks_in_the_conversation_of_another(conversation, django_user_model):
    stranger = django_user_model.objects.create_superuser("eve")
    with pytest.raises(NotFound):
        conversations.post(stranger, conversation.pk, "hello")
    for wrong in ("", "x", None, "0" * 200, 3):
        with pytest.raises(NotFound):
            conversations.find(stranger, wrong)


def test_a_conversation_is_named_after_what_is_said_first(post, conversation):
    post("Book me\n a train " + "and then " * 20)
    post("something else")
    conversation.refresh_from_db()
    assert conversation.title.startswith("Book me a train and then")
    assert len(conversation.title) <= 60


def test_an_objective_too_long_for_a_goal_is_said(endpoint, post, said, monkeypatch):
    monkeypatch.setattr(validation, "MAX_OBJECTIVE", 10)
    post("Book me a train to Paris")
    interpret_waiting()
    assert said()[-1][0] == "system"
    assert "objective" in said()[-1][1]
    assert not Goal.objects.exists()


def test_a_workers_turn_interprets_and_drives(endpoint, library, post, said):
    post("Book me a train")
    Slice(lambda: bool(Question.objects.exists()), linger=5.0).run()
    assert said()[-1] == ("assistant", "Where does the journey begin?")


def test_the_queues_task_interprets(endpoint, post):
    post("Book me a train")
    assert tasks.interpret() == 1
    assert Goal.objects.count() == 1
