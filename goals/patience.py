"""Searches of people end in time: Postgres gives up a statement that takes too long, and they are told what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection, transaction
from psycopg.errors import QueryCanceled

from goals.exceptions import TookTooLong


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Give each statement within this many seconds; raises TookTooLong when one is cut off.

    A queryset must be read within: `with at_most(5): rows = list(goals[:50])`. Within a transaction the session's own
    limit holds again afterwards.
    """
    within = connection.in_atomic_block
    try:
        with transaction.atomic():
            _limit(f"{seconds * 1000:.0f}")
            yield
            if within:
                _limit("DEFAULT")
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled) and "statement timeout" in str(error):
            raise TookTooLong(seconds) from error
        raise


def _limit(milliseconds: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = {milliseconds}")
