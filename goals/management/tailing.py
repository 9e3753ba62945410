"""Following a goal's events by their numbers: none is left out, none comes twice, whoever drives the goal."""

import time
from collections.abc import Iterator

from django.db import InterfaceError, OperationalError

from goals import events
from goals.connections import pooled
from goals.exceptions import GoalError
from goals.management.wording import one_line, words
from goals.models import Event, Goal

AWAY = (OperationalError, InterfaceError)
LOOK_EVERY = 0.3
PATIENCE = 60.0


def follow(goal: Goal, after: int, *, once: bool = False) -> Iterator[Event]:
    """Yield the events after a number, in order, until the goal has ended; with `once`, those that there are.

    Events of one goal become visible in the order of their numbers, so the last one seen is all there is to remember.
    """
    seq = after
    while True:
        fresh, is_ended = _look(goal, seq)
        yield from fresh
        seq = fresh[-1].seq if fresh else seq
        if not fresh and (once or is_ended):
            return
        if not fresh:
            time.sleep(LOOK_EVERY)


def _look(goal: Goal, seq: int) -> tuple[list[Event], bool]:
    """Return a page of events, and whether the goal had ended before they were read."""
    give_up_at = time.monotonic() + PATIENCE
    while True:
        try:
            with pooled():
                is_ended = Goal.objects.only("status").get(pk=goal.pk).is_ended
                return events.since(goal.pk, seq), is_ended
        except AWAY as error:
            if time.monotonic() > give_up_at:
                raise GoalError(f"the database is away; go on later with --after {seq}") from error
            time.sleep(1)


def line_of(event: Event) -> str:
    """Return an event in a line: number, time, kind, who, and what a person need know of it."""
    who = f" by {event.actor.get_username()}" if event.actor else ""
    told = "; ".join(one_line(line) for line in words(event)) or _telling(event)
    return f"{event.seq:>5}  {event.at:%Y-%m-%d %H:%M:%S}  {event.kind:<22}{who}  {told}".rstrip()


def _telling(event: Event) -> str:
    """Return the telling part of what has no words of its own."""
    names = ("reason", "text", "title", "gloss", "objective", "prompt", "purpose", "name")
    return next((one_line(event.payload[name]) for name in names if event.payload.get(name)), "")
