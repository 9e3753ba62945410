"""The catalogue of artifacts that a prompt shows: what there is, and of what is short and not from outside its value.

Its cost is bounded.
"""

import uuid

from artifacts.kinds import Trust
from artifacts.models import Context
from artifacts.reading import NEAR
from artifacts.statements import execute

MAX_LIMIT = 200
COUNTED = 1_000
MAX_CHARACTERS = 300
SHORT = 200  # bytes of JSON

# Candidates: the names of the newest versions, and the newest names (so that one busy name hides no other).
ENTRIES = """
, names AS (
    SELECT a.name, a.created_at FROM place CROSS JOIN LATERAL (
        SELECT name, created_at FROM artifacts_artifact WHERE context_id = place.id AND version = 1
        ORDER BY created_at DESC LIMIT %(counted)s
    ) a
),
recent AS (
    SELECT a.name FROM place CROSS JOIN LATERAL (
        SELECT name FROM artifacts_artifact WHERE context_id = place.id ORDER BY created_at DESC LIMIT 2 * %(limit)s
    ) a
),
wanted AS (
    SELECT name FROM recent UNION (SELECT name FROM names ORDER BY created_at DESC LIMIT %(limit)s)
)
SELECT nearest.*, (SELECT count(DISTINCT name) FROM names) FROM wanted CROSS JOIN LATERAL (
    SELECT a.* FROM place CROSS JOIN LATERAL (
        SELECT name, version, type, description, purpose, created_at, shape, size, trust,
            CASE WHEN size <= %(short)s AND trust <> 'untrusted' THEN value::text END AS value FROM artifacts_artifact
        WHERE context_id = place.id AND name = wanted.name ORDER BY version DESC LIMIT 1
    ) a ORDER BY place.distance LIMIT 1
) nearest ORDER BY nearest.created_at DESC, nearest.name LIMIT %(limit)s
"""
STATEMENT = NEAR + ENTRIES


def catalogue(context: Context | uuid.UUID | str, limit: int = 30) -> str:
    """The newest artifacts that the context sees, newest first, and how many more there are."""
    limit = max(1, min(limit, MAX_LIMIT))
    context_id = context.id if isinstance(context, Context) else context
    rows = execute(STATEMENT, {"context": context_id, "limit": limit, "counted": COUNTED, "short": SHORT}).fetchall()
    if not rows:
        return "No artifacts available."
    total = max(rows[0][-1], len(rows))
    at_least = "at least " if total >= COUNTED else ""
    lines = [f"Available Artifacts ({at_least}{total}):", *(_entry(*row[:-1]) for row in rows)]
    if total > len(rows):
        lines.append(f"… and {at_least}{total - len(rows)} more, older; each can be referenced by its name.")
    return "\n".join(lines)


def _entry(name, version, type, description, purpose, created_at, shape, size, trust, value) -> str:
    lines = [f"- @{name} ({type}): {_line(description)}"]
    if purpose.strip():
        lines.append(f"  Purpose: {_line(purpose)}")
    lines.append(f"  Created: {created_at.isoformat(timespec='seconds')}")
    lines.append(f"  Size: {shape}" + ("" if shape.endswith(("byte", "bytes")) else f", {size} bytes"))
    if value is not None:
        lines.append(f"  Value: {_line(value)}")
    if version > 1:
        lines.append(f"  Version: {version}")
    if trust != Trust.TRUSTED:
        lines.append(f"  Trust: {Trust(trust).label.lower()}")
    return "\n".join(lines)


def _line(text: str) -> str:
    """One line of bounded length, so that no description can forge another entry."""
    words = " ".join(text.split())
    return words if len(words) <= MAX_CHARACTERS else words[: MAX_CHARACTERS - 1] + "…"
