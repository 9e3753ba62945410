"""The right of one worker to drive one goal: its epoch fences off a late worker, and the database's clock rules."""

import logging
import os
import socket
import threading
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection

from goals.connections import pooled
from goals.models.goal import LIVE

logger = logging.getLogger(__name__)

# Runnable is what a driver could move now: due, and driven by nobody. SKIP LOCKED: workers never wait for each other.
# MATERIALIZED: as `IN (SELECT ... LIMIT n)` some plans choose anew for each row, and take more than n.
CLAIM = """
WITH due AS MATERIALIZED (
    SELECT id FROM goals_goal
    WHERE status = ANY(%(live)s)
        AND ((wake_at IS NULL AND status <> 'waiting') OR wake_at <= clock_timestamp())
        AND (lease_expires_at IS NULL OR lease_expires_at < clock_timestamp())
        AND (%(only)s::uuid[] IS NULL OR id = ANY(%(only)s::uuid[]))
    ORDER BY wake_at NULLS FIRST, lease_expires_at NULLS FIRST
    LIMIT %(limit)s FOR UPDATE SKIP LOCKED
)
UPDATE goals_goal g SET lease_owner = %(owner)s, lease_epoch = g.lease_epoch + 1,
    lease_expires_at = clock_timestamp() + %(seconds)s * interval '1 second'
FROM due WHERE g.id = due.id RETURNING g.id, g.lease_epoch
"""
RENEW = """
UPDATE goals_goal g SET lease_expires_at = clock_timestamp() + %(seconds)s * interval '1 second'
FROM unnest(%(ids)s::uuid[], %(epochs)s::bigint[]) AS held(id, epoch)
WHERE g.id = held.id AND g.lease_epoch = held.epoch AND g.lease_owner = %(owner)s
"""
RELEASE = """
UPDATE goals_goal SET lease_owner = '', lease_expires_at = NULL WHERE id = %(id)s AND lease_epoch = %(epoch)s
"""


@dataclass(frozen=True, slots=True)
class Lease:
    """One worker's right to drive `goal_id` under `epoch`."""

    goal_id: Any
    epoch: int


def owner_name() -> str:
    """Return a name for this process that no other has."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{_process_mark()}"


_marks: dict[int, str] = {}


def _process_mark() -> str:
    return _marks.setdefault(os.getpid(), uuid.uuid4().hex[:8])


def claim(limit: int, only: Iterable[Any] | None = None) -> list[Lease]:
    """Take the leases of up to `limit` runnable goals (of `only` these, when given)."""
    with connection.cursor() as cursor:
        cursor.execute(
            CLAIM,
            {
                "owner": owner_name(),
                "seconds": settings.GOALSITE_LEASE_SECONDS,
                "live": [status.value for status in LIVE],
                "only": list(only) if only is not None else None,
                "limit": limit,
            },
        )
        return [Lease(goal_id, epoch) for goal_id, epoch in cursor.fetchall()]


def renew(leases: Iterable[Lease]) -> None:
    """Renew leases that are still ours; one that was given back meanwhile stays given back."""
    held = list(leases)
    if not held:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            RENEW,
            {
                "owner": owner_name(),
                "seconds": settings.GOALSITE_LEASE_SECONDS,
                "ids": [lease.goal_id for lease in held],
                "epochs": [lease.epoch for lease in held],
            },
        )


def release(lease: Lease) -> None:
    """Give a lease back, if it is still ours."""
    with connection.cursor() as cursor:
        cursor.execute(RELEASE, {"id": lease.goal_id, "epoch": lease.epoch})


class Heartbeat:
    """Renews the leases that this process holds, from one thread, three times in a lease's length."""

    def __init__(self) -> None:
        self._held: set[Lease] = set()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="lease-heartbeat", daemon=True)

    def __enter__(self) -> "Heartbeat":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def add(self, lease: Lease) -> None:
        with self._lock:
            self._held.add(lease)

    def remove(self, lease: Lease) -> None:
        with self._lock:
            self._held.discard(lease)

    def _beat(self) -> None:
        while not self._stop.wait(settings.GOALSITE_LEASE_SECONDS / 3):
            with self._lock:
                held = set(self._held)
            try:
                with pooled():
                    renew(held)
            except DatabaseError:
                logger.warning("could not renew %d leases; trying again", len(held), exc_info=True)
