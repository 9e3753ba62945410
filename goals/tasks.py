"""django-q2's entry points: they carry ids or nothing, and re-read everything."""

import logging
import time
import traceback
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.utils.module_loading import import_string
from structlog.contextvars import bound_contextvars

from artifacts.clean import clean_text
from goals import answers, lease, tally
from goals.chat.interpreter import interpret_waiting
from goals.chat.readers import Readers
from goals.connections import pooled
from goals.decisions import Move
from goals.driver import drive
from goals.effects import journal
from goals.effects.handlers import HANDLERS
from goals.lease import Heartbeat, Lease
from goals.states import GoalStatus, Kind, PauseReason
from goals.transitions import writing
from goals.webhooks.senders import Senders

logger = logging.getLogger(__name__)
POLL_SECONDS = 0.2
LINGER_SECONDS = 1.0
HANDFUL = 24  # goals that a worker takes in one look: of a heap, the other workers take their share


def drive_runnable(seconds: float | None = None) -> int:
    """Drive whatever is runnable, many goals at once on threads, for one slice; returns how many drives it made.

    It ends early when nothing has been runnable for a moment; what is left is for the next slice, of any worker.
    """
    asked = import_string(settings.GOALSITE_STOP_ASKED)
    ends = time.monotonic() + (settings.GOALSITE_SLICE_SECONDS if seconds is None else seconds)
    return Slice(lambda: asked() or time.monotonic() > ends).run()


def interpret(limit: int = 10) -> int:
    """Interpret messages that wait, without driving goals; returns how many were taken."""
    return interpret_waiting(limit, import_string(settings.GOALSITE_STOP_ASKED))


class Slice:
    """One worker's turn: claims leases as threads become free, until it is over and all threads are back.

    It interprets people's messages and tells webhooks as well, unless it drives `only` some goals.
    """

    def __init__(self, is_over: Callable[[], bool], only: Any = None, *, linger: float = LINGER_SECONDS) -> None:
        self.is_over = is_over
        self.only = only
        self.linger = linger
        self.drives = 0

    def run(self) -> int:
        """Run the turn; returns how many drives were made."""
        try:
            return self._run()
        finally:
            tally.flush()

    def _run(self) -> int:
        flying: dict[Future[None], Lease] = {}
        idle_since = time.monotonic()
        with pooled():
            journal.settle_left_behind()
            answers.withdraw_moot()
        with (
            Heartbeat() as heartbeat,
            ThreadPoolExecutor(settings.GOALSITE_DRIVERS, "drive") as pool,
            Senders(self.is_over) as senders,
        ):
            readers = Readers(pool, self.is_over) if self.only is None else None
            while True:
                reading = readers is not None and readers.look()
                sending = self.only is None and senders.look()
                hand = [] if self.is_over() else self._claim(settings.GOALSITE_DRIVERS - len(flying))
                for taken in hand:
                    heartbeat.add(taken)
                    flying[pool.submit(self._drive, taken, heartbeat)] = taken
                if flying or reading or sending:
                    idle_since = time.monotonic()
                elif self.is_over() or time.monotonic() - idle_since > self.linger:
                    return self.drives
                tally.flush_when_due()
                self._collect(flying, _until_next_look(len(hand), len(flying)))

    def _claim(self, room: int) -> list[Lease]:
        if room <= 0:
            return []
        with pooled():
            return lease.claim(min(HANDFUL, room), self.only)

    def _drive(self, taken: Lease, heartbeat: Heartbeat) -> None:
        try:
            with bound_contextvars(goal=str(taken.goal_id), epoch=taken.epoch):
                drive(taken, HANDLERS, self.is_over)
        finally:
            heartbeat.remove(taken)

    def _collect(self, flying: dict[Future[None], Lease], seconds: float) -> None:
        if not flying:
            time.sleep(seconds)
            return
        done, _ = wait(flying, timeout=seconds, return_when=FIRST_COMPLETED)
        for future in done:
            taken = flying.pop(future)
            self.drives += 1
            error = future.exception()
            if error is not None:
                logger.error("goal %s: its driver failed", taken.goal_id, exc_info=error)
                _set_aside(taken, error)


def _until_next_look(taken: int, driven: int) -> float:
    """Return how long to wait: where there may be more to take, the longer, the more this worker drives already."""
    return POLL_SECONDS * (min(1.0, driven / settings.GOALSITE_DRIVERS) if taken == HANDFUL else 1.0)


def _set_aside(taken: Lease, error: BaseException) -> None:
    """Pause a goal whose driver failed in a way that has no name, with the traceback: else it would fail for ever."""
    if isinstance(error, OperationalError | InterfaceError):
        return  # the database was away; the next slice tries again
    said, text = clean_text(str(error)), clean_text("".join(traceback.format_exception(error)))[-8000:]
    with pooled(), writing(taken.goal_id) as writer:
        goal = writer.goal
        if goal.lease_epoch == taken.epoch and not goal.is_ended and goal.status != GoalStatus.PAUSED:
            facts = {"paused_for": PauseReason.ERROR, "reason": f"its driver failed: {said}\n{text}"}
            payload = {"for": PauseReason.ERROR.value, "reason": f"its driver failed: {said}"}
            writer.move(Move(Kind.GOAL, goal.pk, goal.status, GoalStatus.PAUSED, facts, "goal.paused", payload))
