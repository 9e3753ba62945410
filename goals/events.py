"""Reading a goal's history: frames for sockets and commands, and whether its chain holds."""

from collections.abc import Iterator
from typing import Any

from goals.chain import canonical, link
from goals.models import Event

PAGE = 500


def frame(event: Event) -> dict[str, Any]:
    """Return an event as it goes over the socket (DESIGN section 10), and who did it: null where no person did."""
    return {
        "type": "event",
        "goal": str(event.goal_id),
        "seq": event.seq,
        "kind": event.kind,
        "payload": event.payload,
        "at": event.at.isoformat(),
        "actor": event.actor.username if event.actor else None,
    }


def since(goal_id: Any, seq: int, *, limit: int = PAGE) -> list[Event]:
    """Return the events after `seq`, oldest first, at most a page."""
    return list(Event.objects.filter(goal_id=goal_id, seq__gt=seq).select_related("actor").order_by("seq")[:limit])


def broken_at(goal_id: Any) -> int | None:
    """Return the first `seq` at which the history has a gap or a wrong digest; None when it is whole."""
    previous, expected = "", 1
    for event in _all(goal_id):
        text = canonical(event.payload)
        digest = link(previous, event.goal_id, event.seq, event.kind, text, event.actor_id, event.at)
        if event.seq != expected or event.digest != digest:
            return expected
        previous, expected = event.digest, expected + 1
    return None


def _all(goal_id: Any) -> Iterator[Event]:
    return Event.objects.filter(goal_id=goal_id).order_by("seq").iterator(chunk_size=PAGE)
