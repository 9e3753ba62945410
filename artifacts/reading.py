"""Finding artifacts from a context: one indexed statement each. The nearest context that has a name wins."""

import uuid
from collections.abc import Iterable
from datetime import datetime

from artifacts.models import Artifact, Context
from artifacts.references import NAME
from artifacts.statements import execute

# Every statement gives `place` (the context's path, nearest first) and then asks each name for its nearest artifact.
NEAR = """
WITH place AS MATERIALIZED (
    SELECT near.id, near.distance FROM artifacts_context c, unnest(c.path) WITH ORDINALITY AS near(id, distance)
    WHERE c.id = %(context)s::uuid
)
"""
NAMES = "SELECT DISTINCT a.name FROM place JOIN artifacts_artifact a ON a.context_id = place.id AND a.version = 1"
NAMES_SINCE = """
SELECT DISTINCT a.name FROM place JOIN artifacts_artifact a ON a.context_id = place.id AND a.created_at >= %(since)s
"""
UNTRUSTED = """
SELECT EXISTS (SELECT 1 FROM place JOIN artifacts_artifact a ON a.context_id = place.id AND a.trust = 'untrusted')
"""
AMONG = " AND a.name = ANY(%(names)s::text[])"
NEAREST = """
SELECT nearest.* FROM wanted CROSS JOIN LATERAL (
    SELECT a.* FROM place CROSS JOIN LATERAL (
        SELECT * FROM artifacts_artifact
        WHERE context_id = place.id AND name = wanted.name {version} ORDER BY version DESC LIMIT 1
    ) a ORDER BY place.distance LIMIT 1
) nearest
"""
OF_VERSION = NEAREST.format(version="AND version = %(version)s")
LATEST = NEAREST.format(version="")
LATEST_IDS = LATEST.replace("nearest.*", "nearest.id")
GIVEN = "SELECT name FROM unnest(%(names)s::text[]) AS name"


def lookup(context: Context | uuid.UUID | str, name: str, version: int | None = None) -> Artifact | None:
    """The artifact of that name (and version) in the nearest context that has it; None when there is none."""
    nearest = LATEST if version is None else OF_VERSION
    found = _find(f"{NEAR}, wanted AS ({GIVEN}) {nearest}", context, names=_names([name]), version=version)
    return found.get(name)


def latest(context: Context | uuid.UUID | str, names: Iterable[str] | None = None) -> dict[str, Artifact]:
    """The latest artifact of each name that the context sees; of the given names only, when given.

    Contents that lie in blobs are not read. The cost is that of the names asked for, whatever else there is.
    """
    if names is None:
        return _find(f"{NEAR}, wanted AS ({NAMES}) {LATEST}", context)
    return _find(f"{NEAR}, wanted AS ({GIVEN}) {LATEST}", context, names=_names(names))


def latest_ids(context: Context | uuid.UUID | str) -> list[uuid.UUID]:
    """The ids of these artifacts, without reading one."""
    statement = f"{NEAR}, wanted AS ({NAMES}) {LATEST_IDS}"
    return [key for (key,) in execute(statement, {"context": _id(context)}).fetchall()]


def evidence_since(context: Context | uuid.UUID | str, since: datetime) -> dict[str, Artifact]:
    """The latest artifact of each name that got a version at `since` or later (the database's clock)."""
    return _find(f"{NEAR}, wanted AS ({NAMES_SINCE}) {LATEST}", context, since=since)


def evidence_keys(
    context: Context | uuid.UUID | str, names: Iterable[str] | None = None, since: datetime | None = None
) -> frozenset[str]:
    """The names that the context sees, without reading an artifact.

    Given `names`, these only; given `since`, only those that got a version then or later.
    """
    statement = NEAR + (NAMES if since is None else NAMES_SINCE) + ("" if names is None else AMONG)
    parameters = {"context": _id(context), "since": since, "names": None if names is None else _names(names)}
    return frozenset(name for (name,) in execute(statement, parameters).fetchall())


def holds_untrusted(context: Context | uuid.UUID | str) -> bool:
    """Whether any artifact that the context sees, of whatever version, is made of content from outside."""
    return bool(execute(NEAR + UNTRUSTED, {"context": _id(context)}).fetchone()[0])


def _find(statement: str, context: Context | uuid.UUID | str, **parameters) -> dict[str, Artifact]:
    rows = Artifact.objects.raw(statement, {"context": _id(context), **parameters})
    return {artifact.name: artifact for artifact in rows}


def _names(names: Iterable[str]) -> list[str]:
    """Each name once, without those that no artifact can have."""
    return [name for name in dict.fromkeys(names) if NAME.fullmatch(name)]


def _id(context: Context | uuid.UUID | str) -> uuid.UUID | str:
    return context.id if isinstance(context, Context) else context
