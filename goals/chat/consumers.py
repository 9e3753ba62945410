"""The live sockets (DESIGN section 10): they authenticate, subscribe, and call services.

The socket announces, the table is the truth: an announcement only says that there is more to read. The first frame is
`hello`, with the last seq of each goal; from then on a client gets every event and message once and in order, and what
came before it asks for by `replay`.
"""

import asyncio
import json
import logging
import time
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError

from goals import announce, answers
from goals.chat import conversations, frames, live_reading, pace, signing
from goals.chat.live_latest import latest
from goals.chat.live_reading import Told, in_thread
from goals.exceptions import GoalError, InvalidInput, NotFound

logger = logging.getLogger(__name__)
CHANNEL = "socket"
SIGNED_OUT, NOT_HERE = 4401, 4404  # why a socket was closed
LOOK_AGAIN = 60.0  # seconds between two looks at whether the session still is good


class LiveConsumer(AsyncWebsocketConsumer):
    """What both sockets share. `seen` is the last seq that was sent, by goal."""

    watch: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Accept a person who may see what the address names; tell everybody else by the code of the close."""
        self.user = self.scope["user"]
        self.session = getattr(self.scope.get("session"), "session_key", None)
        self.groups_joined: list[str] = []
        self.seen: dict[str, int] = {}
        self.pace, self.told_of_pace = pace.Pace(time.monotonic()), False
        if not self.user.is_authenticated:
            await self.turn_away(SIGNED_OUT)
            return
        try:
            await self.subscribe(self.scope["url_route"]["kwargs"]["id"])
        except NotFound:
            await self.turn_away(NOT_HERE)
            return
        if self.session:
            await self.join(signing.session_group(self.session))
            self.watch = asyncio.create_task(self.watch_session())
        await self.accept()
        await self.tell(self.hello())

    async def turn_away(self, code: int) -> None:
        """Close at once: a browser sees the code of a socket that was open, and of no other."""
        await self.accept()
        await self.close(code)

    async def subscribe(self, id: str) -> None:
        """Check ownership, join the group, and then read where it stands; raises NotFound."""
        raise NotImplementedError

    def hello(self) -> dict[str, Any]:
        """Return the first frame: where the goals stand."""
        return {"type": "hello", "goals": self.seen}

    async def join(self, group: str) -> None:
        await self.channel_layer.group_add(group, self.channel_name)
        self.groups_joined.append(group)

    async def disconnect(self, code: int) -> None:
        """Leave."""
        if self.watch:
            self.watch.cancel()
        for group in self.groups_joined:
            await self.channel_layer.group_discard(group, self.channel_name)

    async def watch_session(self) -> None:
        """Close when the session has run out, or its person may see less; a sign-out is told at once."""
        while True:
            await asyncio.sleep(LOOK_AGAIN)
            try:
                person = await signing.signed_in(self.session, self.user.pk)
                if person is None:
                    break
                self.user = person
                await self.access_changed({})
            except DatabaseError:
                logger.warning("could not look at a socket's session; looking again later", exc_info=True)
        await self.close(SIGNED_OUT)

    # -- from the client ----------------------------------------------------------------------------------

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Carry out one frame; what is wrong is answered by an error frame that names the field."""
        await self.hold_up()
        try:
            frame = frames.parse(text_data)
            await getattr(self, f"on_{frame['type']}")(frame)
        except GoalError as error:
            for told in frames.error_frames(error):
                await self.tell(told)

    async def hold_up(self) -> None:
        """Let a flood wait, and tell it once; meanwhile nothing more is read from this socket."""
        wait = self.pace.wait(time.monotonic())
        if wait and not self.told_of_pace:
            await self.tell({"type": "error", "field": "rate", "message": pace.WORDS})
        self.told_of_pace = bool(wait) or (self.told_of_pace and not self.pace.is_calm)
        await asyncio.sleep(wait)

    async def on_ping(self, frame: dict[str, Any]) -> None:
        """Say that the site is there."""
        await self.tell({"type": "pong"})

    async def on_message(self, frame: dict[str, Any]) -> None:
        """A message needs a conversation."""
        raise InvalidInput({"type": "a message goes to a conversation's socket; here are answer, replay and ping"})

    async def on_answer(self, frame: dict[str, Any]) -> None:
        """Answer a question, as this person."""
        await in_thread(answers.answer)(self.user, frame["question"], frame["answer"], channel=CHANNEL)

    async def on_replay(self, frame: dict[str, Any]) -> None:
        """Send a goal's events after the seq that the client knows."""
        goal, after = frame["goal"], frame["after"]
        self.pace.spend(pace.REPLAY)
        await self.check_replay(goal)
        await self.send_events(goal, after)

    async def check_replay(self, goal: str) -> None:
        """Raise NotFound when this socket may not tell of that goal."""
        await live_reading.goal_seq(self.user, goal)

    # -- from the site ------------------------------------------------------------------------------------

    async def goal_changed(self, message: dict[str, Any]) -> None:
        """Send what is new of a goal, unless it was sent already."""
        goal, seq = message["goal"], message["seq"]
        seen = self.seen.get(goal, 0)
        if seq > seen:
            page = await latest.since(goal, seen, seq)
            await self.send_page(goal, page)
            if len(page) >= live_reading.PAGE:
                await self.send_events(goal, page[-1].seq)

    async def live_resync(self, message: dict[str, Any]) -> None:
        """Announcements were lost: read everything that is followed, and tell the client to look again."""
        for goal, seen in list(self.seen.items()):
            await self.send_events(goal, seen)
        await self.tell({"type": "resync"})

    async def access_changed(self, message: dict[str, Any]) -> None:
        """Somebody may see less than before: follow only what this person still may."""
        for goal in list(self.seen):
            try:
                await self.check_replay(goal)
            except NotFound:
                await self.lost(goal)

    async def lost(self, goal: str) -> None:
        """A goal is not to be seen any more."""
        del self.seen[goal]

    async def session_ended(self, message: dict[str, Any]) -> None:
        """The person has signed out."""
        await self.close(SIGNED_OUT)

    async def send_events(self, goal: str, after: int) -> None:
        while page := await live_reading.events_page(goal, after):
            await self.send_page(goal, page)
            after = page[-1].seq
            if len(page) < live_reading.PAGE:
                break

    async def send_page(self, goal: str, page: list[Told]) -> None:
        for seq, text in page:
            await self.send(text_data=text)
            self.seen[goal] = max(self.seen.get(goal, 0), seq)

    async def tell(self, frame: dict[str, Any]) -> None:
        await self.send(text_data=json.dumps(frame))


class GoalConsumer(LiveConsumer):
    """One goal's events."""

    async def subscribe(self, id: str) -> None:
        await live_reading.goal_seq(self.user, id)
        await self.join(announce.goal_group(id))
        self.goal = id
        self.seen[id] = await live_reading.goal_seq(self.user, id)

    async def check_replay(self, goal: str) -> None:
        if goal != self.goal:
            raise NotFound(f"this socket tells of goal {self.goal} only")
        await super().check_replay(goal)

    async def lost(self, goal: str) -> None:
        await self.close(NOT_HERE)


class ConversationConsumer(LiveConsumer):
    """A conversation: its messages, its goals' events, and replies as they are written."""

    async def subscribe(self, id: str) -> None:
        await live_reading.conversation_state(self.user, id)
        await self.join(announce.conversation_group(id))
        self.conversation = id
        self.number, self.seen = await live_reading.conversation_state(self.user, id)

    def hello(self) -> dict[str, Any]:
        return {**super().hello(), "number": self.number}

    async def on_message(self, frame: dict[str, Any]) -> None:
        """Say something in the conversation."""
        await in_thread(conversations.post)(self.user, self.conversation, frame["content"])

    async def message_created(self, message: dict[str, Any]) -> None:
        """Send the messages that are new."""
        if message["number"] > self.number:
            await self.send_messages()

    async def conversation_changed(self, message: dict[str, Any]) -> None:
        """Tell that what is known of the conversation has changed: its name, or what a message was taken for."""
        await self.tell({"type": "changed", "conversation": self.conversation, "title": message["title"]})

    async def reply_token(self, message: dict[str, Any]) -> None:
        """Pass on a piece of a reply that is being written."""
        await self.tell({**message, "type": "token"})

    async def live_resync(self, message: dict[str, Any]) -> None:
        await self.send_messages()
        _, now = await live_reading.conversation_state(self.user, self.conversation)
        self.seen = {**dict.fromkeys(now, 0), **self.seen}
        await super().live_resync(message)

    async def send_messages(self) -> None:
        while page := await live_reading.messages_page(self.conversation, self.number):
            for frame in page:
                await self.tell(frame)
            self.number = page[-1]["number"]
