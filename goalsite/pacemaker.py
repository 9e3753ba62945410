"""The pacemaker: sees to it that runnable goals are noticed within a second, without django-q2's 30 s scheduler.

The queue only wakes workers; the database says what is runnable. Whoever makes a goal runnable says so with
`NOTIFY goalsite_wake` in the same transaction. The pacemaker listens, and on that word, or after one second of
silence, puts one wake-up (`settings.GOALSITE_WAKE_UP`, a task without arguments) on the queue, but only while fewer
messages wait than there are workers. So at most as many wait as workers exist, however long the workers are busy; a
worker that is free takes the next wake-up at once and drives whatever is runnable; one that finds nothing is free
again a moment later. A lost word costs a second, a lost wake-up one more. It runs in the main process of the cluster
(see `goalsite.workers`), on a connection of its own.
"""

import psycopg
from django.conf import settings

from goalsite import plain_connection, queueing

CHANNEL = "goalsite_wake"
LONGEST_SILENCE = 1.0


class Pacemaker:
    """Waits for word and sends wake-ups."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.connection: psycopg.Connection | None = None

    def wait(self, seconds: float = LONGEST_SILENCE) -> bool:
        """Wait for word, at most so long; whether it came. Raises psycopg's errors when the database is away."""
        if self.connection is None:
            self.connection = psycopg.connect(**plain_connection.parameters(), autocommit=True)
            self.connection.execute(f"LISTEN {CHANNEL}")
        return any(True for _ in self.connection.notifies(timeout=seconds, stop_after=1))

    def beat(self) -> bool:
        """Send a wake-up unless enough of them wait already; whether one was sent."""
        if queueing.waiting() >= self.workers:
            return False
        queueing.send(settings.GOALSITE_WAKE_UP)
        return True

    def hang_up(self) -> None:
        """Give the connection up; the next wait makes a new one."""
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.close()
