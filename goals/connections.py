"""A model call or a tool call holds no database connection.

Short pieces of database work run in `pooled()`, which gives the connection back to the pool. A driver's thread keeps
its connection between such pieces (`held()`) and gives it back for as long as it is outside (`released()`) or waits.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

_thread = threading.local()


def give_back() -> None:
    """Return this thread's connection to the pool, unless a transaction encloses us."""
    if not connection.in_atomic_block:
        connection.close()


@contextmanager
def pooled() -> Iterator[None]:
    """Use this thread's connection, and give it back afterwards unless the thread holds on to it."""
    try:
        yield
    finally:
        if not getattr(_thread, "holds", False):
            give_back()


@contextmanager
def held() -> Iterator[None]:
    """Keep this thread's connection between pieces of work, until the block ends."""
    before = getattr(_thread, "holds", False)
    _thread.holds = True
    try:
        yield
    finally:
        _thread.holds = before
        if not before:
            give_back()


@contextmanager
def released() -> Iterator[None]:
    """Be without a connection while something outside is waited for."""
    before = getattr(_thread, "holds", False)
    _thread.holds = False
    give_back()
    try:
        yield
    finally:
        _thread.holds = before
