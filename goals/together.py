"""Changes of several rows in one statement: each spares the way to the database and back that it would have taken.

Postgres carries out the parts of a statement in no fixed order, and what one part frees (the place of the one active
checkpoint) is not yet free for another. So of several changes of one table each is written by itself, in their order.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from goals import rows
from goals.exceptions import StaleGoal


@dataclass(frozen=True, slots=True)
class Change:
    """One INSERT or UPDATE. `stale` says what it means that it changed no row; blank where that cannot be."""

    table: str
    statement: str
    values: list[Any]
    stale: str = ""


def write(changes: Sequence[Change], notices: Sequence[tuple[str, str]] = ()) -> None:
    """Carry out the changes and `pg_notify` (channel, body) with the commit; raises StaleGoal where one has no row."""
    times = Counter(change.table for change in changes)
    for change in changes:
        if times[change.table] > 1:
            _write([change], ())
    _write([change for change in changes if times[change.table] == 1], notices)


def _write(changes: Sequence[Change], notices: Sequence[tuple[str, str]]) -> None:
    if not changes and not notices:
        return
    parts = ", ".join(f"part{n} AS ({change.statement} RETURNING 1)" for n, change in enumerate(changes))
    told = [f"(SELECT count(*) FROM part{n})" for n, change in enumerate(changes) if change.stale]  # noqa: S608
    selected = ", ".join([*told, *["pg_notify(%s, %s)"] * len(notices)]) or "1"
    values = [value for change in changes for value in change.values]
    values += [word for notice in notices for word in notice]
    found = rows.execute_long(f"{f'WITH {parts} ' if parts else ''}SELECT {selected}", values).fetchone()
    for change, count in zip([change for change in changes if change.stale], found, strict=False):
        if count != 1:
            raise StaleGoal(change.stale)
