"""What the sockets read from the tables, a page at a time. Runs on threads, never in the event loop's."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from channels.db import database_sync_to_async

from goals import events, services
from goals.chat import conversations
from goals.chat.frames import message_frame
from goals.models import Goal, Message

PAGE = 200
MOST_GOALS = 500


class Told(NamedTuple):
    """An event as it is sent."""

    seq: int
    text: str


def in_thread(work: Callable[..., Any]) -> Callable[..., Any]:
    """Run database work on one of a few threads, so that one socket's waiting holds up no other's."""
    return database_sync_to_async(work, thread_sensitive=False)


@in_thread
def goal_seq(user: Any, goal_id: str) -> int:
    """Return a goal's last seq; raises NotFound when it is not this person's."""
    return services.find(user, goal_id).seq


@in_thread
def conversation_state(user: Any, conversation_id: str) -> tuple[int, dict[str, int]]:
    """Return a conversation's last message number and the last seq of its goals; raises NotFound."""
    conversation = conversations.find(user, conversation_id)
    goals = Goal.objects.filter(conversation=conversation).order_by("-created_at")[:MOST_GOALS]
    return conversation.last_number, {str(pk): seq for pk, seq in goals.values_list("pk", "seq")}


@in_thread
def events_page(goal_id: str, after: int) -> list[Told]:
    """Return a page of a goal's events after a seq."""
    return [Told(event.seq, json.dumps(events.frame(event))) for event in events.since(goal_id, after, limit=PAGE)]


@in_thread
def messages_page(conversation_id: str, after: int) -> list[dict[str, Any]]:
    """Return a page of a conversation's message frames after a number."""
    rows = Message.objects.filter(conversation_id=conversation_id, number__gt=after).order_by("number")
    return [message_frame(row) for row in rows.prefetch_related("attachments")[:PAGE]]
