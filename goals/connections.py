"""A model call or a tool call holds no database connection: each short piece of database work gives it back."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def pooled() -> Iterator[None]:
    """Use this thread's connection, and give it back to the pool afterwards (unless a transaction encloses us)."""
    try:
        yield
    finally:
        if not connection.in_atomic_block:
            connection.close()
