"""When the database is away for a while: how that is known, and how long what was paid for is held on to."""

import time
from collections.abc import Callable, Iterator

from django.db import InterfaceError, OperationalError

from goals.connections import give_back

LONGEST_SECONDS = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
# SQLSTATE classes of what passes by itself: the connection, the server's shutdown, and a transaction's collision.
PASSING = ("08", "40", "57P")


def is_outage(error: BaseException) -> bool:
    """Whether this says that the database hung up or undid the transaction, and nothing about what was asked of it."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(PASSING)


def outlast(work: Callable[[], None]) -> None:
    """Do `work` as soon as the database answers; raises its error when that takes too long.

    `work` may have been done although its answer was lost; it must know that itself.
    """
    pauses = _pauses()
    while True:
        try:
            return work()
        except (OperationalError, InterfaceError) as error:
            give_back()
            pause = next(pauses, None)
            if pause is None or not is_outage(error):
                raise
        # Nobody else can take this over: the outcome is in this worker's memory and nowhere else.
        time.sleep(pause)


def _pauses() -> Iterator[float]:
    ends, pause = time.monotonic() + LONGEST_SECONDS, FIRST_PAUSE
    while time.monotonic() < ends:
        yield pause
        pause = min(2 * pause, LONGEST_PAUSE)
