"""Who copies blobs and who takes them away never work at once: an advisory lock of Postgres, held by one connection."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

LOCK = 0x60A17F


class BeingCopied(Exception):
    """Blobs are being copied: none may be taken away."""


@contextmanager
def copying() -> Iterator[None]:
    """Let no blob be taken away; waits for whoever is at it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock_shared(%s)", [LOCK])
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock_shared(%s)", [LOCK])


@contextmanager
def taking_away() -> Iterator[None]:
    """Let nobody begin to copy; raises BeingCopied while somebody does."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
        if not cursor.fetchone()[0]:
            raise BeingCopied
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
