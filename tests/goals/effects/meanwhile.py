"""Calls that are in flight while a test does something else."""

import threading
import time
from collections.abc import Callable
from typing import Any

from django.db import connection

from goals.models import Goal, ModelCall
from goals.tasks import Slice

PATIENCE = 60  # seconds; only a failure waits so long


class Meanwhile:
    """Drives a goal on a thread, and acts while a call is in flight: `{"hold": meanwhile.over}` keeps it there."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self.over = self._over.is_set

    def __call__(self, goal: Goal, in_flight: Callable[[], bool], act: Callable[[], Any]) -> Goal:
        worker = threading.Thread(target=lambda: Slice(lambda: False, only=[goal.pk], linger=0.3).run())
        worker.start()
        try:
            assert in_flight(), "nothing was in flight"
            act()
        finally:
            self._over.set()
            worker.join(PATIENCE)
        return Goal.objects.get(pk=goal.pk)


class Gate:
    """A tool's work that tells when it has begun and goes on when it may."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self, *_: Any) -> str:
        self.begun.set()
        assert self.go_on.wait(PATIENCE)
        return "done"

    def in_flight(self) -> bool:
        return self.begun.wait(PATIENCE)


def calling(goal: Goal, purpose: str = "", **about: Any) -> Callable[[], bool]:
    """Whether a model call of the goal (for this purpose) is in flight, soon."""
    if purpose:
        about["purpose"] = purpose

    return lambda: soon(ModelCall.objects.filter(goal=goal, status="intended", **about).exists)


def soon(happened: Callable[[], bool]) -> bool:
    """Whether it happens before one's patience ends."""
    give_up_at = time.monotonic() + PATIENCE
    while not happened():
        if time.monotonic() > give_up_at:
            return False
        time.sleep(0.02)
    return True


def until_somebody_waits() -> None:
    """Return as soon as some transaction waits for another's lock."""
    for _ in range(100 * PATIENCE):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_clear_snapshot()")  # a transaction sees one picture of the activity, else
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
            if cursor.fetchone()[0]:
                return
            cursor.execute("SELECT pg_sleep(0.01)")
    raise AssertionError("nobody waits")
