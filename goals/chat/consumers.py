"""The live sockets (DESIGN section 10): they authenticate, subscribe, and call services.

The socket announces, the table is the truth: an announcement only says that there is more to read. From the moment of
connecting a client gets every event and message once and in order; what came before, it asks for by `replay`.
"""

import json
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer

from goals import announce, answers
from goals.chat import conversations, frames, live_reading
from goals.chat.live_reading import in_thread
from goals.exceptions import GoalError, InvalidInput, NotFound

CHANNEL = "socket"


class LiveConsumer(AsyncWebsocketConsumer):
    """What both sockets share. `seen` is the last seq that was sent, by goal."""

    async def connect(self) -> None:
        """Accept a person who may see what the address names; refuse everybody else before the handshake."""
        self.user = self.scope["user"]
        self.groups_joined: list[str] = []
        self.seen: dict[str, int] = {}
        if not self.user.is_authenticated:
            await self.close()
            return
        try:
            await self.subscribe(self.scope["url_route"]["kwargs"]["id"])
        except NotFound:
            await self.close()
            return
        await self.accept()

    async def subscribe(self, id: str) -> None:
        """Check ownership, join the group, and then read where it stands; raises NotFound."""
        raise NotImplementedError

    async def join(self, group: str) -> None:
        await self.channel_layer.group_add(group, self.channel_name)
        self.groups_joined.append(group)

    async def disconnect(self, code: int) -> None:
        """Leave."""
        for group in self.groups_joined:
            await self.channel_layer.group_discard(group, self.channel_name)

    # -- from the client ----------------------------------------------------------------------------------

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Carry out one frame; what is wrong is answered by an error frame that names the field."""
        try:
            frame = frames.parse(text_data)
            await getattr(self, f"on_{frame['type']}")(frame)
        except GoalError as error:
            for told in frames.error_frames(error):
                await self.tell(told)

    async def on_message(self, frame: dict[str, Any]) -> None:
        """A message needs a conversation."""
        raise InvalidInput({"type": "a message goes to a conversation's socket; here are answer and replay"})

    async def on_answer(self, frame: dict[str, Any]) -> None:
        """Answer a question, as this person."""
        await in_thread(answers.answer)(self.user, frame["question"], frame["answer"], channel=CHANNEL)

    async def on_replay(self, frame: dict[str, Any]) -> None:
        """Send a goal's events after the seq that the client knows."""
        goal, after = frame["goal"], frame["after"]
        await self.check_replay(goal)
        await self.send_events(goal, after)

    async def check_replay(self, goal: str) -> None:
        """Raise NotFound when this socket may not tell of that goal."""
        await live_reading.goal_seq(self.user, goal)

    # -- from the site ------------------------------------------------------------------------------------

    async def goal_changed(self, message: dict[str, Any]) -> None:
        """Send what is new of a goal, unless it was sent already."""
        seen = self.seen.get(message["goal"], 0)
        if message["seq"] > seen:
            await self.send_events(message["goal"], seen)

    async def live_resync(self, message: dict[str, Any]) -> None:
        """Announcements were lost: read everything that is followed, and tell the client to look again."""
        for goal, seen in list(self.seen.items()):
            await self.send_events(goal, seen)
        await self.tell({"type": "resync"})

    async def send_events(self, goal: str, after: int) -> None:
        while page := await live_reading.events_page(goal, after):
            for frame in page:
                await self.tell(frame)
            after = page[-1]["seq"]
            if len(page) < live_reading.PAGE:
                break
        self.seen[goal] = max(self.seen.get(goal, 0), after)

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


class ConversationConsumer(LiveConsumer):
    """A conversation: its messages, its goals' events, and replies as they are written."""

    async def subscribe(self, id: str) -> None:
        await live_reading.conversation_state(self.user, id)
        await self.join(announce.conversation_group(id))
        self.conversation = id
        self.number, self.seen = await live_reading.conversation_state(self.user, id)

    async def on_message(self, frame: dict[str, Any]) -> None:
        """Say something in the conversation."""
        await in_thread(conversations.post)(self.user, self.conversation, frame["content"])

    async def message_created(self, message: dict[str, Any]) -> None:
        """Send the messages that are new."""
        if message["number"] > self.number:
            await self.send_messages()

    async def conversation_changed(self, message: dict[str, Any]) -> None:
        """Tell that what is known of the conversation has changed: its name, or what a message was taken for."""
        await self.tell({"type": "changed", "conversation": self.conversation})

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
