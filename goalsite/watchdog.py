"""The watchdog of the queue: sends a canary through it and says when the cluster hangs.

django-q2 hangs silently when a worker dies while it holds the lock of a shared pipe. Every few seconds a canary goes
through the queue. The cluster hangs when, for longer than the patience, the canary was not run although some worker was
free, or was run but never acknowledged. A worker that drives goals renews its message's lease, so "all workers are
busy" is told from "nobody takes messages". A queue on Redis has no leases: there the patience exceeds the longest task.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone
from django_q.conf import Conf
from django_q.models import OrmQ

from goalsite import queueing
from goalsite.models import Canary

SING = "goalsite.watchdog.sing"


def sing(number: int) -> None:
    """The canary's task: a worker lives."""
    Canary.objects.filter(id=Canary.ONLY, number_run__lt=number).update(number_run=number, run_at=timezone.now())


def patience() -> float:
    """How many seconds a canary may take."""
    slack = settings.GOALSITE_CANARY_SECONDS
    return slack if Conf.ORM else slack + (Conf.TIMEOUT or 0)


@dataclass
class Watchdog:
    """Sends canaries and watches what becomes of them."""

    workers: int
    patience: float
    clock: Callable[[], float] = time.monotonic
    number: int = 0
    message: int | None = None
    sent_at: float = 0.0
    fine_at: float = 0.0

    def look(self) -> bool:
        """Whether the cluster is well; sends the next canary when it is time."""
        now = self.clock()
        if self.number == 0 or self._is_home():
            self.fine_at = now
            if self.number == 0 or now - self.sent_at >= self.patience / 4:
                self._send(now)
        elif not self._was_run() and self._all_busy():
            self.fine_at = now
        return now - self.fine_at <= self.patience

    def forgive(self) -> None:
        """Begin anew, after a time in which the database was away."""
        self.number, self.message = 0, None

    def _send(self, now: float) -> None:
        canary, _ = Canary.objects.get_or_create(id=Canary.ONLY, defaults={"sent_at": timezone.now()})
        self.number = max(canary.number, canary.number_run) + 1
        self.message = queueing.send(SING, self.number)
        self.sent_at = now
        Canary.objects.filter(id=Canary.ONLY).update(number=self.number, message=self.message, sent_at=timezone.now())

    def _was_run(self) -> bool:
        return Canary.objects.filter(id=Canary.ONLY, number_run__gte=self.number).exists()

    def _is_home(self) -> bool:
        """Run by a worker and, where the queue is a table, acknowledged."""
        return self._was_run() and not (self.message and OrmQ.objects.filter(id=self.message).exists())

    def _all_busy(self) -> bool:
        if not Conf.ORM:
            return False
        leased = OrmQ.objects.filter(key=Conf.CLUSTER_NAME, lock__gt=timezone.now()).exclude(id=self.message)
        return leased.count() >= self.workers
