"""Following events without a socket: streams and long polls, through the server's own front."""

import asyncio
import gc
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.contrib.auth.models import User

from goals import services
from goals.api import following
from goals.models import ApiToken
from goalsite.asgi import application

pytestmark = pytest.mark.django_db(transaction=True)


def later(work: Any) -> Any:
    return database_sync_to_async(work, thread_sensitive=False)


@pytest.fixture(autouse=True)
async def layer() -> AsyncIterator[None]:
    yield
    await get_channel_layer().close()


@pytest.fixture
def secret(owner: Any) -> str:
    return ApiToken.objects.issue(owner, name="follower", scopes=["read"])[1]


@pytest.fixture
def goal(submit: Any) -> Any:
    return submit()


class Follower:
    """A client of the server, as far as ASGI tells of one."""

    def __init__(self, goal: Any, secret: str, query: str = "", **headers: str) -> None:
        told = {"host": "localhost", "authorization": f"Bearer {secret}", **headers}
        path = f"/api/goals/{goal.pk}/events/"
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "scheme": "http",
            "http_version": "1.1",
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in told.items()],
        }
        self.wire = ApplicationCommunicator(application, scope)
        self.text = ""

    async def begin(self) -> int:
        """Ask, and return the status of what comes."""
        await self.wire.send_input({"type": "http.request", "body": b"", "more_body": False})
        start = await self.wire.receive_output(60)
        self.headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
        return start["status"]

    async def rest(self) -> Any:
        """The whole of a short answer."""
        body, more = b"", True
        while more:
            part = await self.wire.receive_output(60)
            body, more = body + part.get("body", b""), part.get("more_body", False)
        await self.wire.wait(60)
        return json.loads(body)

    async def event(self) -> tuple[int, dict[str, Any]]:
        """The next event of a stream: its id and what it says."""
        while True:
            head, blank, tail = self.text.partition("\n\n")
            if not blank:
                part = await self.wire.receive_output(60)
                assert part.get("more_body"), "the stream has ended"
                self.text += part["body"].decode()
                continue
            self.text = tail
            if head.startswith("id: "):
                id, data = head.split("\n", 1)
                return int(id.removeprefix("id: ")), json.loads(data.removeprefix("data: "))

    async def go(self) -> None:
        """Hang up."""
        await self.wire.send_input({"type": "http.disconnect"})
        await self.wire.wait(60)


def streaming(goal: Any, secret: str, query: str = "", **headers: str) -> Follower:
    return Follower(goal, secret, query, accept="text/event-stream", **headers)


async def test_a_stream_tells_each_event_once_and_in_order_from_the_last_one_known(owner, goal, secret):
    for number in range(250):
        await later(services.steer)(owner, goal.pk, f"word {number}")
    from_the_start, from_the_last = streaming(goal, secret), streaming(goal, secret, "after=3", last_event_id="250")
    for follower in (from_the_start, from_the_last):
        assert await follower.begin() == 200
        assert follower.headers["content-type"].startswith("text/event-stream")
    first = [await from_the_start.event() for _ in range(251)]
    assert [id for id, _ in first] == [frame["seq"] for _, frame in first] == list(range(1, 252))
    assert (await from_the_last.event())[0] == 251
    await later(services.steer)(owner, goal.pk, "and now")
    for follower in (from_the_start, from_the_last):
        id, frame = await follower.event()
        assert (id, frame["kind"], frame["payload"]["text"]) == (252, "goal.steered", "and now")
        await follower.go()


async def test_a_long_poll_answers_when_something_happens_or_its_time_is_over(owner, goal, secret):
    at_once = Follower(goal, secret, "wait=20")
    assert await at_once.begin() == 200
    assert (await at_once.rest())["last_seq"] == 1
    waiting = Follower(goal, secret, "after=1&wait=20")
    asked = asyncio.ensure_future(waiting.begin())
    await asyncio.sleep(0.5)
    assert not asked.done()
    await later(services.steer)(owner, goal.pk, "Hurry")
    assert await asked == 200
    assert [row["seq"] for row in (await waiting.rest())["results"]] == [2]
    in_vain = Follower(goal, secret, "after=2&wait=1")
    assert await in_vain.begin() == 200
    assert await in_vain.rest() == {"last_seq": 2, "more": False, "results": []}


async def test_what_happens_between_the_look_and_the_wait_is_not_missed(owner, goal, secret, monkeypatch):
    ask = following.ask

    async def and_then_something_happens(*given: Any) -> Any:
        answer = await ask(*given)
        if not answer.found["results"]:
            await later(services.steer)(owner, goal.pk, "Hurry")
        return answer

    monkeypatch.setattr(following, "ask", and_then_something_happens)
    follower = Follower(goal, secret, "after=1&wait=15")
    assert await asyncio.wait_for(follower.begin(), 10) == 200
    assert [row["seq"] for row in (await follower.rest())["results"]] == [2]


@pytest.mark.parametrize("query", ["wait=61", "wait=-1", "wait=1&after=x", "wait=1&offset=2"])
async def test_a_wait_that_cannot_be_is_refused_by_name(goal, secret, query):
    for follower in (Follower(goal, secret, query), streaming(goal, secret, query)):
        assert await follower.begin() == 400
        assert set((await follower.rest())["errors"]) <= {"wait", "after", "offset"}


async def test_who_may_not_see_the_goal_follows_nothing(owner, goal, secret):
    bob = await later(User.objects.create_user)("bob")
    _, theirs = await later(ApiToken.objects.issue)(bob, name="bob", scopes=["read"])
    for query, headers in (("wait=5", {}), ("", {"accept": "text/event-stream"}), ("", {"last_event_id": "x"})):
        stranger = Follower(goal, theirs, query, **headers)
        assert await stranger.begin() == 404
        nobody = Follower(goal, "nonsense", query, **headers)
        assert await nobody.begin() == 401
        assert nobody.headers["content-type"] == "application/problem+json"
        assert [(await refused.rest())["code"] for refused in (stranger, nobody)] == [
            "not_found",
            "authentication_failed",
        ]


async def test_a_stream_ends_when_its_token_does(owner, goal, secret, monkeypatch):
    monkeypatch.setattr(following, "ALIVE", 0.05)
    monkeypatch.setattr(following, "LOOK_AGAIN", 0.0)
    follower = streaming(goal, secret)
    assert await follower.begin() == 200
    await follower.event()
    await later(ApiToken.objects.all().delete)()
    with pytest.raises(AssertionError, match="the stream has ended"):
        await follower.event()
    await follower.wire.wait(60)


async def test_a_person_waits_at_so_many_places_and_one_who_goes_makes_room(goal, secret, settings):
    settings.GOALSITE_API_FOLLOWERS = 2
    held = [streaming(goal, secret) for _ in range(2)]
    assert [await follower.begin() for follower in held] == [200, 200]
    for more in (streaming(goal, secret), Follower(goal, secret, "after=1&wait=5")):
        assert await more.begin() == 429
        assert (await more.rest())["code"] == "too_many_followers"
        assert more.headers["retry-after"] == "5"
    await held[0].go()
    again = streaming(goal, secret)
    assert await again.begin() == 200
    for follower in (held[1], again):
        await follower.go()


async def test_who_hangs_up_at_once_leaves_nothing_open(goal, secret):
    for follower in (streaming(goal, secret), Follower(goal, secret, "after=1&wait=20")):
        await follower.wire.send_input({"type": "http.request", "body": b"", "more_body": False})
        await asyncio.sleep(0.01)
        await follower.go()
    gc.collect()


async def test_other_answers_pass_untouched(goal, secret):
    plain = Follower(goal, secret, "limit=1")
    assert await plain.begin() == 200
    assert len((await plain.rest())["results"]) == 1
