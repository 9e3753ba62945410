"""Conversations, their messages and their goal over HTTP."""

import pytest

from goals import services
from goals.models import Conversation, Goal, Message

pytestmark = pytest.mark.django_db


def test_a_conversation_is_begun_and_found(api, ada):
    made = api.post("/api/conversations/", {"title": "Trains"})
    assert made.status_code == 201
    assert Conversation.objects.get().owner == ada
    assert api.get(f"/api/conversations/{made.json()['id']}/").json() == made.json()
    assert api.post("/api/conversations/").status_code == 201


def test_a_message_is_stored_and_left_for_interpretation(api, ada, conversation):
    path = f"/api/conversations/{conversation.pk}/messages/"
    made = api.post(path, {"content": "Book a train to Rome"}).json()
    message = Message.objects.get()
    assert (message.role, message.author, message.interpreted_at) == ("user", ada, None)
    assert (made["number"], made["interpreted"]) == (1, False)
    api.post(path, {"content": "tomorrow"})
    assert [row["number"] for row in api.get(path, {"after": 1}).json()["results"]] == [2]


def test_a_slash_command_is_carried_out_at_once(api, conversation):
    path = f"/api/conversations/{conversation.pk}/messages/"
    assert api.post(path, {"content": "/goal Count to ten"}).json()["interpreted"] is True
    assert Goal.objects.get().conversation == conversation


def test_the_goal_of_a_conversation_is_shown_and_cleared(api, ada, conversation):
    path = f"/api/goal/{conversation.pk}/"
    assert api.get(path).json() == {"conversation": str(conversation.pk), "goal": None, "questions": []}
    assert api.delete(path).json()["cleared"] is False
    goal = services.submit(owner=ada, objective="Book", conversation=conversation)
    goal.questions.create(kind="information", key="to", prompt="Where to?")
    found = api.get(path).json()
    assert (found["goal"]["id"], found["questions"][0]["prompt"]) == (str(goal.pk), "Where to?")
    assert api.delete(path).json() == {"conversation": str(conversation.pk), "cleared": True, "goal": str(goal.pk)}
    assert Goal.objects.get().status == "cancelled"
    assert api.delete(path).json()["cleared"] is False


def test_messages_take_no_more_statements_when_there_are_more(
    api, ada, conversation, django_assert_max_num_queries, django_assert_num_queries
):
    path = f"/api/conversations/{conversation.pk}/messages/"
    api.post(path, {"content": "one"})
    with django_assert_max_num_queries(8) as few:
        api.get(path)
    seen = len(few.captured_queries)
    for number in range(5):
        api.post(path, {"content": f"{number}"})
    with django_assert_num_queries(seen):
        assert len(api.get(path).json()["results"]) == 6
