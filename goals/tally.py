"""The site's figures: added up in memory as events are written, and brought to the database every few seconds.

A process that is killed takes the last few seconds of its figures with it; the tables of calls and events lose nothing.
"""

import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import Error

from artifacts.statements import execute
from goals import spending
from goals.connections import pooled
from goals.measures import Labels, measures

logger = logging.getLogger(__name__)
EVERY_SECONDS = 5.0
MOST_SERIES = 10_000  # in memory; what a broken caller invents beyond that is dropped
ADD = """
INSERT INTO goals_tally (name, labels, value)
SELECT * FROM unnest(%s::text[], %s::text[], %s::float8[]) AS pending(name, labels, value) ORDER BY name, labels
ON CONFLICT (name, labels) DO UPDATE SET value = goals_tally.value + excluded.value
"""

_lock = threading.Lock()
_pending: Counter[tuple[str, Labels]] = Counter()
_flushed_at = 0.0


def count(name: str, amount: float = 1.0, **labels: str) -> None:
    """Add to one series."""
    _add([(name, tuple(sorted(labels.items())), amount)])


def count_events(events: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Add what these events, (kind, payload), come to."""
    _add(amount for kind, payload in events for amount in measures(kind, payload))


def _add(amounts: Iterable[tuple[str, Labels, float]]) -> None:
    with _lock:
        for name, labels, amount in amounts:
            if (name, labels) in _pending or len(_pending) < MOST_SERIES:
                _pending[(name, labels)] += amount


def flush_when_due() -> None:
    """Bring the figures to the database unless that was done a moment ago."""
    if time.monotonic() - _flushed_at >= EVERY_SECONDS:
        flush()


def flush() -> None:
    """Bring the figures to the database; when it is away they are kept for the next time."""
    global _flushed_at
    spending.flush()
    with _lock:
        taken = dict(_pending)
        _pending.clear()
        _flushed_at = time.monotonic()
    if not taken:
        return
    series = [(name, json.dumps(labels, ensure_ascii=False)) for name, labels in taken]
    try:
        with pooled():
            execute(ADD, [[name for name, _ in series], [labels for _, labels in series], list(taken.values())])
    except Error as error:
        logger.warning("the figures were not written (%s); they are kept", str(error).strip().splitlines()[0])
        with _lock:
            _pending.update(taken)
