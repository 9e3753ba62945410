"""Telling others that something was written. Goes out with the commit, and not at all on a rollback.

The socket announces, the table is the truth: whoever misses an announcement asks the table from its last `seq`.
"""

from collections.abc import Iterable
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import connection, transaction

WAKE_CHANNEL = "goalsite_wake"


def goal_group(goal_id: object) -> str:
    return f"goal.{goal_id}"


def conversation_group(conversation_id: object) -> str:
    return f"conversation.{conversation_id}"


def person_group(user_id: object) -> str:
    return f"person.{user_id}"


def of_goal(goal: Any, *, asks: bool) -> list[tuple[str, dict[str, Any]]]:
    """Return what is to be said once a goal has changed, and to which group; `asks`: its owner may be needed."""
    message = {"type": "goal.changed", "goal": str(goal.pk), "seq": goal.seq}
    groups = [goal_group(goal.pk), *([conversation_group(goal.conversation_id)] if goal.conversation_id else [])]
    needs = [(person_group(goal.owner_id), {"type": "person.needs"})] if asks else []
    return [*((group, message) for group in groups), *needs]


def send(group: str, message: dict[str, Any]) -> None:
    """Announce `message` to a group when the transaction commits."""
    layer = get_channel_layer()
    publish = getattr(layer, "publish", None)
    if publish is not None:
        publish(group, message)
        return
    transaction.on_commit(lambda: async_to_sync(layer.group_send)(group, message))


def notifications(messages: Iterable[tuple[str, dict[str, Any]]]) -> list[tuple[str, str]]:
    """Return (channel, body) for the caller to `pg_notify` in a statement of its own; the rest is sent here."""
    compose = getattr(get_channel_layer(), "compose", None)
    riding = []
    for group, message in messages:
        composed = compose(group, message) if compose else None
        if composed is None:
            send(group, message)
        else:
            riding.append(composed)
    return riding


def wake_workers() -> None:
    """Tell the workers, with the commit, that a goal may be runnable; a lost call costs a second."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, '')", [WAKE_CHANNEL])
