"""What calls cost, by the hour: added up in memory, and brought to the database with the site's other figures.

A process that is killed takes the last few seconds with it, here only: budgets and calls have every cent.
"""

import logging
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.db import Error

from artifacts.statements import execute
from goals.connections import pooled
from goals.models import Goal

logger = logging.getLogger(__name__)
MOST_LINES = 10_000  # in memory, while the database is away
Line = tuple[datetime, int, str, str]  # hour, owner, model, SOP version
ADD = """
INSERT INTO goals_spend (hour, owner_id, model, sop, usd, calls, tokens)
SELECT line.hour, line.owner, line.model, coalesce(sop.slug, ''), sum(line.usd), sum(line.calls), sum(line.tokens)
FROM unnest(%s::timestamptz[], %s::int[], %s::text[], %s::text[], %s::numeric[], %s::bigint[], %s::bigint[])
    AS line(hour, owner, model, version, usd, calls, tokens)
JOIN auth_user person ON person.id = line.owner
LEFT JOIN sops_sopversion version ON version.id = nullif(line.version, '')::uuid
LEFT JOIN sops_sop sop ON sop.id = version.sop_id
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
ON CONFLICT (hour, owner_id, model, sop) DO UPDATE SET usd = goals_spend.usd + excluded.usd,
    calls = goals_spend.calls + excluded.calls, tokens = goals_spend.tokens + excluded.tokens
"""

_lock = threading.Lock()
_pending: dict[Line, list[Any]] = defaultdict(lambda: [Decimal(0), 0, 0])


def count_events(goal: Goal, events: Iterable[tuple[str, Mapping[str, Any]]], at: datetime) -> None:
    """Add what these events, (kind, payload), of a goal say of its calls to models."""
    for kind, payload in events:
        if kind == "model.called":
            tokens = int(payload.get("input_tokens") or 0) + int(payload.get("output_tokens") or 0)
            usd, model = Decimal(payload.get("cost_usd") or 0), str(payload.get("model") or "")
            count(goal.owner_id, model, usd=usd, tokens=tokens, at=at, version=goal.sop_version_id)


def count(owner: int, model: str, *, usd: Decimal, tokens: int, at: datetime, version: Any = None) -> None:
    """Add one call."""
    hour = at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    key = (hour, owner, model[:200], str(version or ""))
    with _lock:
        if key in _pending or len(_pending) < MOST_LINES:
            line = _pending[key]
            line[0], line[1], line[2] = line[0] + usd, line[1] + 1, line[2] + tokens


def flush() -> None:
    """Bring the lines to the database; when it is away they are kept for the next time."""
    with _lock:
        taken = dict(_pending)
        _pending.clear()
    if not taken:
        return
    try:
        with pooled():
            columns = [list(column) for column in zip(*taken, strict=True)]
            amounts = [list(column) for column in zip(*taken.values(), strict=True)]
            execute(ADD, [*columns, *amounts])
    except Error as error:
        logger.warning("what calls cost was not written (%s); it is kept", str(error).strip().splitlines()[0])
        with _lock:
            for key, amounts_of in taken.items():
                line = _pending[key]
                _pending[key] = [line[0] + amounts_of[0], line[1] + amounts_of[1], line[2] + amounts_of[2]]
