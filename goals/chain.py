"""A goal's history as a chain: each event's digest is made of the one before and of the event's own parts."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from artifacts.clean import clean

COLUMNS = "id, goal_id, seq, kind, payload, actor_id, at, digest"
MARKS = "(%s::uuid, %s::uuid, %s::bigint, %s::varchar, %s::jsonb, %s::integer, %s::timestamptz, %s::varchar)"


def canonical(payload: Mapping[str, Any]) -> str:
    """Return the one JSON text of a payload that is stored and digested; what cannot be stored is taken out."""
    text = _compact(payload)
    if "\\u0000" in text or not _is_storable(text):
        return _compact(clean(json.loads(text)))
    return text


def _compact(payload: Any) -> str:
    return json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)


def _is_storable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def insertion(events: Sequence[Sequence[Any]]) -> tuple[str, list[Any]]:
    """Return the statement that inserts events, each the values of `COLUMNS`, and its parameters."""
    lines = ", ".join([MARKS] * len(events))
    statement = f"INSERT INTO goals_event ({COLUMNS}) VALUES {lines}"  # noqa: S608 - names of our own columns
    return statement, [value for event in events for value in event]


def link(previous: str, goal: Any, seq: int, kind: str, payload: str, actor: Any, at: datetime) -> str:
    """Return the digest of one event: SHA-256 over the previous digest and the event's parts, a line each."""
    parts = (previous, goal, seq, kind, payload, actor, at.isoformat())
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()
