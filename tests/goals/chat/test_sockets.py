"""The live sockets over the real channel layer."""

import asyncio
import time
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from asgiref.testing import ApplicationCommunicator
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.contrib.auth.models import AnonymousUser, Permission
from django.contrib.sessions.models import Session
from django.utils import timezone

from goals import announce, answers, events, reassigning, services, sharing
from goals.chat import consumers, conversations, live_latest, live_reading, pace
from goals.effects.making import ask_person
from goals.models import Event, Goal, Question
from goals.states import QuestionKind
from goals.transitions import writing
from goalsite import plain_connection
from tests.goals.chat.sockets import Socket, opened

pytestmark = pytest.mark.django_db(transaction=True)


def later(work: Any) -> Any:
    return database_sync_to_async(work, thread_sensitive=False)


@pytest.fixture(autouse=True)
async def layer() -> AsyncIterator[None]:
    yield
    await get_channel_layer().close()


async def test_events_arrive_once_and_in_order(owner, conversation, goal):
    talk = await opened(owner, f"/ws/conversations/{conversation.pk}/")
    alone = await opened(owner, f"/ws/goals/{goal.pk}/")
    for number in range(3):
        await later(services.steer)(owner, goal.pk, f"word {number}")
    for found in (talk, alone):
        frames = [await found.frame() for _ in range(3)]
        assert [(frame["type"], frame["seq"], frame["payload"]["text"]) for frame in frames] == [
            ("event", 2, "word 0"),
            ("event", 3, "word 1"),
            ("event", 4, "word 2"),
        ]
        assert await found.receive_nothing(0.2)
        await found.close()


async def test_an_event_is_read_once_for_all_sockets_that_wait_for_it(owner, conversation, goal, monkeypatch):
    reads, since = [], events.since
    monkeypatch.setattr(events, "since", lambda *args, **more: reads.append(args) or since(*args, **more))
    paths = [f"/ws/conversations/{conversation.pk}/", f"/ws/goals/{goal.pk}/"] * 4
    sockets = [await opened(owner, path) for path in paths]
    for number in range(3):
        await later(services.steer)(owner, goal.pk, f"word {number}")
        frames = [await found.frame("event") for found in sockets]
        assert {(frame["seq"], frame["payload"]["text"]) for frame in frames} == {(number + 2, f"word {number}")}
    assert len(reads) == 3
    for found in sockets:
        await found.close()


async def test_who_is_far_behind_gets_what_is_no_longer_held_from_the_table(goal, owner, monkeypatch):
    monkeypatch.setattr(live_latest, "KEPT", 2)
    for number in range(5):
        await later(services.steer)(owner, goal.pk, f"word {number}")
    latest, id = live_latest.Latest(), str(goal.pk)
    for after in (5, 4, 0, 5, 3):
        assert [one.seq for one in await latest.since(id, after, 6)] == list(range(after + 1, 7))
    await later(services.steer)(owner, goal.pk, "one more")
    assert [one.seq for one in await latest.since(id, 6, 7)] == [7]
    assert [one.seq for one in await latest.since(id, 5, 7)] == [6, 7]
    assert [one.seq for one in await latest.since(id, 1, 7)] == [2, 3, 4, 5, 6, 7]


async def test_of_many_goals_the_latest_followed_are_held(goal, owner, conversation, monkeypatch):
    monkeypatch.setattr(live_latest, "MOST_GOALS", 1)
    other = await later(services.submit)(owner=owner, objective="Another", conversation=conversation)
    latest = live_latest.Latest()
    for one in (goal, other, goal):
        assert [told.seq for told in await latest.since(str(one.pk), 0, 1)] == [1]
    assert len(latest._held) == 1


async def test_a_goal_that_begins_later_is_told_from_its_first_event(owner, conversation):
    talk = await opened(owner, f"/ws/conversations/{conversation.pk}/")
    await later(services.submit)(owner=owner, objective="Write", conversation=conversation)
    assert (await talk.frame("event"))["kind"] == "goal.created"
    await talk.close()


async def test_a_client_catches_up_from_its_last_seq_in_pages(owner, goal, monkeypatch):
    monkeypatch.setattr(live_reading, "PAGE", 3)
    for number in range(10):
        await later(services.steer)(owner, goal.pk, f"word {number}")
    alone = await opened(owner, f"/ws/goals/{goal.pk}/")
    await alone.send({"type": "replay", "goal": str(goal.pk), "after": 2})
    assert [(await alone.frame())["seq"] for _ in range(9)] == list(range(3, 12))
    await later(services.steer)(owner, goal.pk, "one more")
    assert (await alone.frame())["seq"] == 12
    assert await alone.receive_nothing(0.2)
    await alone.close()


async def test_what_is_said_over_the_socket_comes_back_on_every_socket(owner, conversation):
    first = await opened(owner, f"/ws/conversations/{conversation.pk}/")
    second = await opened(owner, f"/ws/conversations/{conversation.pk}/")
    await first.send({"type": "message", "content": "/help"})
    for found in (first, second):
        assert [(await found.frame("message"))["number"] for _ in range(2)] == [1, 2]
        await found.close()


async def test_a_question_is_answered_over_the_socket_by_the_first_who_does(owner, conversation, goal):
    question = await later(_ask)(goal)
    talk = await opened(owner, f"/ws/conversations/{conversation.pk}/")
    await talk.send({"type": "answer", "question": str(question.pk), "answer": "Paris"})
    frame = await talk.frame("event")
    assert (frame["kind"], frame["payload"]["answer"]) == ("question.answered", "Paris")
    await talk.send({"type": "answer", "question": str(question.pk), "answer": "Rome"})
    assert "answered already" in (await talk.frame("error"))["message"]
    await talk.close()


async def test_an_answer_given_elsewhere_is_seen(owner, conversation, goal):
    question = await later(_ask)(goal)
    talk = await opened(owner, f"/ws/conversations/{conversation.pk}/")
    await later(answers.answer)(owner, question.pk, "Paris", channel="api")
    assert (await talk.frame("event"))["payload"]["channel"] == "api"
    await talk.close()


def _ask(goal: Goal) -> Question:
    with writing(goal.pk) as writer:
        return ask_person(writer, QuestionKind.INFORMATION, "Where to?", key="destination")


@pytest.mark.parametrize(
    ("frame", "field"),
    [
        ("{", "frame"),
        ("[]", "frame"),
        ("null", "frame"),
        ("[" * 100_000, "frame"),
        (" " * 200_001, "frame"),
        ("{}", "type"),
        ('{"type": "fly"}', "type"),
        ('{"type": "hello"}', "type"),
        ('{"type": "ping", "loud": true}', "loud"),
        ('{"type": ["message"]}', "type"),
        ('{"type": "message"}', "content"),
        ('{"type": "message", "content": "x", "colour": 1}', "colour"),
        ('{"type": "message", "content": ""}', "content"),
        ('{"type": "message", "content": {"a": 1}}', "content"),
        ('{"type": "message", "content": "a\\u0000b"}', "content"),
        ('{"type": "message", "content": "\\ud800"}', "content"),
        ('{"type": "answer", "question": "x"}', "answer"),
        ('{"type": "answer", "question": "x", "answer": 1}', ""),
        ('{"type": "answer", "question": {}, "answer": 1}', ""),
        ('{"type": "replay", "goal": "x", "after": 0}', "goal"),
        ('{"type": "replay", "goal": 7, "after": 0}', "goal"),
        ('{"type": "replay", "goal": "x", "after": -1}', "after"),
        ('{"type": "replay", "goal": "x", "after": true}', "after"),
        ('{"type": "replay", "goal": "x", "after": 1e9}', "after"),
        ('{"type": "replay", "goal": "01a20094-443e-7404-a22d-d44619248db3", "after": 1}', ""),
    ],
)
async def test_a_malformed_frame_is_answered_by_its_field_and_the_socket_lives(owner, conversation, frame, field):
    talk = await opened(owner, f"/ws/conversations/{conversation.pk}/")
    await talk.send(text=frame)
    assert (await talk.frame())["field"] == field
    await talk.send({"type": "message", "content": "/help"})
    assert (await talk.frame("message"))["content"] == "/help"
    await talk.close()


async def test_bytes_are_refused(owner, conversation):
    talk = await opened(owner, f"/ws/conversations/{conversation.pk}/")
    await talk.send(data=b"\x00")
    assert (await talk.frame())["field"] == "frame"
    await talk.close()


async def test_a_goals_socket_takes_no_message(owner, goal):
    alone = await opened(owner, f"/ws/goals/{goal.pk}/")
    await alone.send({"type": "message", "content": "hello"})
    assert (await alone.frame())["field"] == "type"
    await alone.close()


async def test_strangers_are_turned_away_with_a_code_that_says_why(owner, conversation, goal, django_user_model):
    stranger = await later(django_user_model.objects.create_user)("eve")
    for user, code in ((AnonymousUser(), 4401), (stranger, 4404)):
        for path in (f"conversations/{conversation.pk}", f"goals/{goal.pk}", "goals/x", "conversations/" + "0" * 300):
            assert await Socket(user, f"/ws/{path}/").connect() == {"code": code}


async def test_the_hello_says_where_the_goals_and_the_messages_stand(owner, conversation, goal):
    await later(services.steer)(owner, goal.pk, "a word")
    await later(conversations.post)(owner, conversation.pk, "/help")
    talk, alone = Socket(owner, f"/ws/conversations/{conversation.pk}/"), Socket(owner, f"/ws/goals/{goal.pk}/")
    assert await talk.connect() == {"type": "hello", "goals": {str(goal.pk): 2}, "number": 2}
    assert await alone.connect() == {"type": "hello", "goals": {str(goal.pk): 2}}
    await talk.close()
    await alone.close()


async def test_a_seq_that_is_too_high_hides_nothing_that_comes(owner, goal):
    alone = await opened(owner, f"/ws/goals/{goal.pk}/")
    await alone.send({"type": "replay", "goal": str(goal.pk), "after": 10**9})
    await alone.send({"type": "ping"})
    assert await alone.frame() == {"type": "pong"}
    await later(services.steer)(owner, goal.pk, "a word")
    assert (await alone.frame())["seq"] == 2
    await alone.close()


@pytest.fixture
def at_once(monkeypatch):
    """However long a busy machine takes over them, to the sockets all frames come at one moment."""
    monkeypatch.setattr(consumers, "time", SimpleNamespace(monotonic=lambda: 0.0))
    monkeypatch.setattr(pace, "RATE", 1000)


async def test_a_flood_is_told_once_slowed_and_answered_in_full(owner, conversation, at_once):
    talk = await opened(owner, f"/ws/conversations/{conversation.pk}/")
    began = time.monotonic()
    for _ in range(pace.BURST + 50):
        await talk.send({"type": "ping"})
    answers = [await talk.frame() for _ in range(pace.BURST + 51)]
    assert [frame["type"] for frame in answers].count("pong") == pace.BURST + 50
    assert [frame["field"] for frame in answers if frame["type"] == "error"] == ["rate"]
    assert time.monotonic() - began > 0.4
    await talk.close()


async def test_what_costs_much_is_slowed_sooner(owner, goal, at_once):
    alone = await opened(owner, f"/ws/goals/{goal.pk}/")
    for _ in range(pace.BURST // pace.REPLAY):
        await alone.send({"type": "replay", "goal": str(goal.pk), "after": 1})
    assert (await alone.frame())["field"] == "rate"
    await alone.close()


async def test_a_socket_ends_when_its_session_is_signed_out(client, owner, conversation):
    await later(client.force_login)(owner)
    talk = await opened(owner, f"/ws/conversations/{conversation.pk}/", client.session)
    await later(client.post)("/logout/")
    assert await talk.closed() == 4401


async def test_a_socket_ends_when_its_session_has_run_out(client, owner, conversation, monkeypatch):
    monkeypatch.setattr(consumers, "LOOK_AGAIN", 0.05)
    await later(client.force_login)(owner)
    session = client.session
    talk = await opened(owner, f"/ws/conversations/{conversation.pk}/", session)
    assert await talk.receive_nothing(0.2)
    await later(Session.objects.update)(expire_date=timezone.now())
    assert await talk.closed() == 4401


async def test_a_socket_ends_when_the_password_is_changed(client, owner, conversation, monkeypatch):
    monkeypatch.setattr(consumers, "LOOK_AGAIN", 0.05)
    await later(client.force_login)(owner)
    talk = await opened(owner, f"/ws/conversations/{conversation.pk}/", client.session)
    owner.set_password("another-long-password")
    await later(owner.save)()
    assert await talk.closed() == 4401


async def test_a_stranger_replays_nothing_of_a_goal_of_another(goal, django_user_model):
    stranger = await later(django_user_model.objects.create_user)("eve")
    own = await later(conversations.start)(stranger)
    talk = await opened(stranger, f"/ws/conversations/{own.pk}/")
    await talk.send({"type": "replay", "goal": str(goal.pk), "after": 0})
    assert (await talk.frame())["type"] == "error"
    assert await talk.receive_nothing(0.2)
    await talk.close()


async def test_after_a_lost_listener_nothing_is_missed(owner, conversation, goal):
    talk = await opened(owner, f"/ws/conversations/{conversation.pk}/")
    await asyncio.to_thread(_end_listeners)
    await later(services.steer)(owner, goal.pk, "said while nobody listened")
    await later(services.submit)(owner=owner, objective="Another", conversation=conversation)
    frames = []
    while not frames or frames[-1]["type"] != "resync":
        frames.append(await talk.frame())
    told = {(frame["goal"], frame["seq"]) for frame in frames if frame["type"] == "event"}
    written = {(str(event.goal_id), event.seq) async for event in Event.objects.all()}
    assert told == written - {(str(goal.pk), 1)}
    await talk.close()


def _end_listeners() -> None:
    with psycopg.connect(**plain_connection.parameters(), autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE query LIKE 'LISTEN goalsite_live%' AND datname = current_database()"
        )


async def test_a_reply_is_heard_while_it_is_written(owner, conversation):
    from goals.chat.tokens import TokenStream

    talk = await opened(owner, f"/ws/conversations/{conversation.pk}/")

    def write() -> None:
        with TokenStream(conversation.pk, 1) as tokens:
            for piece in ("All ", "is ", "well"):
                tokens.hear(piece)

    await later(write)()
    first, second = [await talk.frame("token") for _ in range(2)]
    assert (first["index"], first["text"], second["index"], second["text"]) == (0, "All ", 1, "is well")
    await talk.close()


async def test_who_is_shown_a_goal_follows_it_until_it_is_withdrawn_and_answers_nothing(owner, goal, django_user_model):
    bob = await later(django_user_model.objects.create_user)("bob")
    question = await later(_ask)(goal)
    await later(sharing.share_with)(owner, goal.pk, "bob")
    alone = await opened(bob, f"/ws/goals/{goal.pk}/")
    await alone.send({"type": "answer", "question": str(question.pk), "answer": "Rome"})
    assert "to look at" in (await alone.frame("error"))["message"]
    await later(services.steer)(owner, goal.pk, "a word")
    assert (await alone.frame("event"))["payload"]["text"] == "a word"
    await later(sharing.withdraw_all)(owner, goal.pk)
    assert await alone.closed() == 4404


async def test_a_socket_of_an_operator_ends_soon_after_the_permission(client, goal, django_user_model, monkeypatch):
    monkeypatch.setattr(consumers, "LOOK_AGAIN", 0.05)
    olga = await later(django_user_model.objects.create_user)("olga")
    permission = await later(Permission.objects.get)(codename="operate")
    await later(olga.user_permissions.add)(permission)
    await later(client.force_login)(olga)
    alone = await opened(olga, f"/ws/goals/{goal.pk}/", client.session)
    await later(olga.user_permissions.clear)()
    assert await alone.closed() == 4404


async def test_who_had_a_goal_that_is_given_away_follows_it_no_longer(owner, conversation, goal, django_user_model):
    talk = await opened(owner, f"/ws/conversations/{conversation.pk}/")
    alone = await opened(owner, f"/ws/goals/{goal.pk}/")
    olga = await later(django_user_model.objects.create_superuser)("olga")
    bob = await later(django_user_model.objects.create_user)("bob")
    await later(reassigning.reassign)(olga, goal.pk, "bob")
    assert await alone.closed() == 4404
    await later(services.steer)(bob, goal.pk, "said among ourselves")
    await get_channel_layer().group_send(announce.conversation_group(conversation.pk), {"type": "live.resync"})
    heard = []
    while (frame := await talk.frame())["type"] != "resync":
        heard.append(frame.get("kind"))
    assert heard == ["goal.reassigned"]
    await talk.close()


@pytest.mark.parametrize(
    ("origin", "met"),
    [
        (b"http://localhost", "websocket.accept"),
        (b"https://evil.example", "websocket.close"),
        (b"http://localhost.evil.example", "websocket.close"),
    ],
)
async def test_a_socket_is_opened_by_the_sites_own_pages_alone(origin, met):
    from goalsite.asgi import application

    scope = {
        "type": "websocket",
        "path": f"/ws/goals/{uuid4()}/",
        "headers": [(b"origin", origin)],
        "query_string": b"",
    }
    visitor = ApplicationCommunicator(application, {**scope, "subprotocols": []})
    await visitor.send_input({"type": "websocket.connect"})
    assert (await visitor.receive_output(10))["type"] == met
