"""django-q2's broker on Postgres: claims with SKIP LOCKED, wakes on NOTIFY, leases that `queue_lease` renews.

At least once: a claimed message whose lease ends unrenewed is claimed again. A dropped connection costs a pause.
"""

import os
import time
from datetime import timedelta

import psycopg
from django.conf import settings
from django.db import connections
from django_q.brokers.orm import ORM
from django_q.conf import Conf, logger
from psycopg import sql

from goalsite import plain_connection

LONGEST_WAIT = 1.0  # bounds the cost of a missed NOTIFY, and how long a stop waits for the pusher
PAUSE = 0.5
PUT = """WITH put AS (INSERT INTO django_q_ormq (key, payload, lock) VALUES (%s, %s, clock_timestamp()) RETURNING id)
SELECT id, pg_notify(%s, '') FROM put"""
CLAIM = """WITH due AS MATERIALIZED (
SELECT id FROM django_q_ormq WHERE key = %s AND lock <= clock_timestamp()
ORDER BY id FOR UPDATE SKIP LOCKED LIMIT %s)
UPDATE django_q_ormq q SET lock = clock_timestamp() + %s FROM due WHERE q.id = due.id RETURNING q.id, q.payload"""


class PostgresBroker(ORM):
    """The queue in `django_q_ormq`; `enqueue` takes part in the caller's transaction."""

    def __init__(self, list_key: str | None = None) -> None:
        super().__init__(list_key or Conf.CLUSTER_NAME)
        self._listener: psycopg.Connection | None = None
        self._listener_pid = 0

    def __setstate__(self, state: object) -> None:
        super().__setstate__(state)
        self._listener, self._listener_pid = None, 0

    @property
    def channel(self) -> str:
        """The NOTIFY channel of this queue."""
        return f"goalsite_queue_{self.list_key}"

    def enqueue(self, task: str) -> int:
        """Put a message on the queue; returns its row's id."""
        with connections[Conf.ORM].cursor() as cursor:
            cursor.execute(PUT, [self.list_key, task, self.channel])
            return cursor.fetchone()[0]

    def dequeue(self) -> list[tuple[int, str]] | None:
        """Up to `bulk` messages, oldest first; None when none came within a second or the database is away."""
        try:
            listener = self._listening()
            claimed = self._claim(listener)
            if not claimed:
                self._wait(listener)
                claimed = self._claim(listener)
        except psycopg.OperationalError as error:
            logger.warning("the queue's connection was lost (%s); connecting again", str(error).strip())
            self._hang_up()
            time.sleep(PAUSE)
            return None
        return claimed or None

    def _claim(self, listener: psycopg.Connection) -> list[tuple[int, str]]:
        lease = timedelta(seconds=settings.GOALSITE_LEASE_SECONDS)
        return sorted(listener.execute(CLAIM, [self.list_key, Conf.BULK, lease]).fetchall())

    @staticmethod
    def _wait(listener: psycopg.Connection) -> None:
        for _ in listener.notifies(timeout=LONGEST_WAIT, stop_after=1):
            pass

    def _listening(self) -> psycopg.Connection:
        """This process's own connection, listening; an inherited one belongs to the parent and is left alone."""
        if self._listener is None or self._listener_pid != os.getpid() or self._listener.closed:
            self._listener = psycopg.connect(**plain_connection.parameters(Conf.ORM), autocommit=True)
            self._listener_pid = os.getpid()
            self._listener.execute("SET synchronous_commit = off")  # a lost claim is claimed again
            self._listener.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self.channel)))
        return self._listener

    def _hang_up(self) -> None:
        if self._listener is not None and self._listener_pid == os.getpid():
            self._listener.close()
        self._listener = None
