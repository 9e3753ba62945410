"""A connection is asked whether it lives when it was idle for a while, or when something has arrived on it.

A server that stops closes its connections, and that arrives: a restart is noticed without asking each time.
"""

import select
import time

import psycopg
from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool

TRUSTED_SECONDS = 1.0


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, with a cheaper look at each connection that the pool gives."""

    @property
    def pool(self) -> ConnectionPool | None:
        pool = super().pool
        if pool is not None and pool._check is not None:
            pool._check = look  # there is no setting for it: Django passes a check of its own
        return pool

    def _set_autocommit(self, autocommit: bool) -> None:
        if self.connection.autocommit != autocommit:  # as a rule it is so already: the pool's connections have it on
            super()._set_autocommit(autocommit)

    def _close(self) -> None:
        if self.connection is not None:
            self.connection.used_at = time.monotonic()
        super()._close()


def look(connection: psycopg.Connection) -> None:
    """Raise when the connection is lost; as a rule without a word to the server."""
    idle = time.monotonic() - getattr(connection, "used_at", 0.0)
    if idle > TRUSTED_SECONDS or _has_arrived(connection):
        ConnectionPool.check_connection(connection)


def _has_arrived(connection: psycopg.Connection) -> bool:
    arrivals = select.poll()
    arrivals.register(connection.fileno(), select.POLLIN)
    return bool(arrivals.poll(0))
