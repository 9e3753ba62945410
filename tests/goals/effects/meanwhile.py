"""Calls that are in flight while a test does something else."""

import threading
import time
from collections.abc import Callable
from typing import Any

from goals.models import Goal, ModelCall


class Gate:
    """A tool's work that tells when it has begun and goes on when it may."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self, *_: Any) -> str:
        self.begun.set()
        assert self.go_on.wait(20)
        return "done"

    def in_flight(self) -> bool:
        return self.begun.wait(20)


def calling(goal: Goal, purpose: str = "", **about: Any) -> Callable[[], bool]:
    """Whether a model call of the goal (for this purpose) is in flight, soon."""
    if purpose:
        about["purpose"] = purpose

    return lambda: soon(ModelCall.objects.filter(goal=goal, status="intended", **about).exists)


def soon(happened: Callable[[], bool]) -> bool:
    """Whether it happens before one's patience ends."""
    give_up_at = time.monotonic() + 20
    while not happened():
        if time.monotonic() > give_up_at:
            return False
        time.sleep(0.02)
    return True
