"""Following a goal's events without a socket: `/api/goals/ID/events/` with `?wait=SECONDS`, or as `text/event-stream`.

This stands before Django in the server. Who may see what is decided by the API itself, which is asked first (and again,
while a stream lasts); between the askings there is only a task that waits for the goal's announcements: no thread, no
connection to the database. The announcement says that there is more to read, the table says what.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings

from goals.api.asking import Answer, ask, query_of, with_accept, with_query
from goals.api.news import GoalNews
from goals.api.problems import TITLES
from goals.chat import live_reading

ADDRESS = ("/api/goals/", "/events/")
EVENT_STREAM = b"text/event-stream"
ALIVE = 15.0  # seconds between two signs of life on a stream
LOOK_AGAIN = 60.0  # seconds between two askings whether the follower still may
AGAIN_AFTER = 2000  # milliseconds after which a browser connects again
HEAD = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]


class Following:
    """The ASGI application around Django's: everything else is passed on untouched."""

    def __init__(self, pages: Any) -> None:
        self.pages = pages
        self.waiting: Counter[int] = Counter()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Follow, or pass on."""
        streams = any(name == b"accept" and EVENT_STREAM in value for name, value in scope["headers"])
        path = scope["path"]
        if scope["method"] != "GET" or not (path.startswith(ADDRESS[0]) and path.endswith(ADDRESS[1])):
            await self.pages(scope, receive, send)
        elif streams:
            await self._until_gone(receive, self._stream(scope, send))
        elif "wait" in query_of(scope):
            await self._until_gone(receive, self._poll(scope, send))
        else:
            await self.pages(scope, receive, send)

    async def _until_gone(self, receive: Any, following: Any) -> None:
        """Follow until the end, or until the follower goes away."""
        work, gone = asyncio.ensure_future(following), asyncio.ensure_future(_disconnect(receive))
        try:
            await asyncio.wait([work, gone], return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            work.cancel()
            await asyncio.wait([work, gone])
        if not work.cancelled():
            work.result()

    async def _poll(self, scope: dict[str, Any], send: Any) -> None:
        """Answer as soon as there is something after the seq, or when the time is over."""
        answer = await ask(self.pages, scope)
        found = answer.found
        if found is None or found["results"] or not found["wait"]:
            return await answer.pass_on(send)
        with self._place(found["person"]) as there_is:
            if not there_is:
                return await _too_many().pass_on(send)
            async with GoalNews(found["goal"]) as news:
                if not await live_reading.events_page(found["goal"], found["after"]):
                    await news.wait(found["wait"])
            return await (await ask(self.pages, scope)).pass_on(send)

    async def _stream(self, scope: dict[str, Any], send: Any) -> None:
        """Send each event once and in order, from the seq on that is known, as long as the follower may see them."""
        scope = with_accept(scope, b"application/json")
        answer = await ask(self.pages, scope)
        found = answer.found
        if found is None:
            return await answer.pass_on(send)
        with self._place(found["person"]) as there_is:
            if not there_is:
                return await _too_many().pass_on(send)
            async with GoalNews(found["goal"]) as news:
                await send({"type": "http.response.start", "status": 200, "headers": HEAD})
                await _write(send, f"retry: {AGAIN_AFTER}\n\n")
                await self._tell(scope, send, news, found["after"])
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        return None

    async def _tell(self, scope: dict[str, Any], send: Any, news: GoalNews, after: int) -> None:
        looked_at = time.monotonic()
        while True:
            while page := await live_reading.events_page(news.goal, after):
                await _write(send, "".join(f"id: {seq}\ndata: {text}\n\n" for seq, text in page))
                after = page[-1].seq
            if not await news.wait(ALIVE):
                await _write(send, ": alive\n\n")
            if time.monotonic() - looked_at > LOOK_AGAIN:
                looked_at = time.monotonic()
                if (await ask(self.pages, with_query(scope, after=after, limit=1))).found is None:
                    return

    @contextmanager
    def _place(self, person: int) -> Iterator[bool]:
        """Take one of a person's places among those that wait in this process; False when all are taken."""
        if self.waiting[person] >= settings.GOALSITE_API_FOLLOWERS:
            yield False
            return
        self.waiting[person] += 1
        try:
            yield True
        finally:
            self.waiting[person] -= 1
            self.waiting += Counter()  # forgets who has none


def _too_many() -> Answer:
    code = "too_many_followers"
    said = f"a person may wait at {settings.GOALSITE_API_FOLLOWERS} places at once; end one first"
    body = {"type": f"urn:goalsite:problem:{code}", "title": TITLES[code], "status": 429, "detail": said, "code": code}
    headers = [(b"content-type", b"application/problem+json"), (b"retry-after", b"5")]
    return Answer(429, headers, json.dumps(body).encode())


async def _write(send: Any, text: str) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": True})


async def _disconnect(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
