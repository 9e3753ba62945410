"""Retention: what calls of goals that ended long ago said is replaced by its digest and size; the rest stays for ever.

Kept are certificates, events, artifacts, verifications, costs, times, and whatever was done outside. Only calls of
checkpoints that have ended (or of the goal's own plans) are taken: nothing asks the journal for those again, not even
when the goal is rearmed. Works through each table once, by its key, a short transaction a batch; rows that somebody
holds are left for the next time. Deliveries to webhooks that are over are deleted; they repeat what events say. Blobs
that nothing names are deleted, too.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from artifacts import orphans
from artifacts.copying import taking_away
from artifacts.models import Artifact
from goals.models import Attachment, Delivery, ModelCall, ToolCall, Webhook
from goals.models.delivery import OPEN
from goals.models.goal import ENDED

BATCH = 500
FIRST = UUID(int=0)
BODIES = {ModelCall: ("request", "response"), ToolCall: ("response",)}
TABLES = (*BODIES, Delivery)
BLOBS = "blobs"
ORPHAN_AGE = timedelta(days=1)  # a blob is written before its row
MARK = (
    "CASE WHEN {0} IS NOT NULL THEN jsonb_build_object('pruned', jsonb_build_object("
    "'sha256', encode(sha256(convert_to({0}::text, 'UTF8')), 'hex'), 'bytes', octet_length({0}::text))) END"
)
CHOSEN = """
WITH page AS MATERIALIZED (
    SELECT id FROM {table} WHERE id > %(after)s AND id < %(last)s ORDER BY id LIMIT %(batch)s
), chosen AS MATERIALIZED (
    SELECT c.id, {size} AS size
    FROM page JOIN {table} c USING (id) JOIN goals_goal g ON g.id = c.goal_id
    LEFT JOIN goals_checkpoint p ON p.id = c.checkpoint_id
    WHERE g.status = ANY(%(states)s) AND g.finished_at < %(before)s
        AND c.status IN ('succeeded', 'failed') AND c.effect_class <> 'external'
        AND (c.checkpoint_id IS NULL OR p.finished_at IS NOT NULL)
        AND c.{first} IS NOT NULL AND NOT c.{first} ? 'pruned'
    {locking}
)"""
COUNTED = """
SELECT (SELECT count(*) FROM chosen), (SELECT coalesce(sum(size), 0) FROM chosen), 0,
    (SELECT id FROM page ORDER BY id DESC LIMIT 1)"""
PRUNED = """, pruned AS (
    UPDATE {table} c SET {changes} FROM chosen WHERE c.id = chosen.id RETURNING {size} AS size
)
SELECT (SELECT count(*) FROM pruned), (SELECT coalesce(sum(size), 0) FROM chosen),
    (SELECT coalesce(sum(size), 0) FROM pruned), (SELECT id FROM page ORDER BY id DESC LIMIT 1)"""


@dataclass(frozen=True)
class Pruned:
    """What became of one table's rows so far: how many, and the bytes of what they said before and after."""

    table: str
    rows: int = 0
    before: int = 0
    after: int = 0

    def __add__(self, other: "Pruned") -> "Pruned":
        return Pruned(self.table, self.rows + other.rows, self.before + other.before, self.after + other.after)


def prune(before: datetime, states: list[str], *, dry_run: bool = False, batch: int = BATCH) -> Iterator[Pruned]:
    """Yield how far it is, table by table, after each batch; goals that ended `before` in one of these states."""
    unknown = set(states) - set(ENDED)
    if unknown:
        raise ValueError(f"goals in {sorted(unknown)} have not ended")
    last = UUID(int=int(before.timestamp() * 1000) << 80)  # keys begin with the time at which they were made
    for model, columns in BODIES.items():
        table = model._meta.db_table
        statement = _statement(table, columns, dry_run=dry_run)
        after: Any = FIRST
        done = Pruned(table)
        while after is not None:
            given = {"after": after, "last": last, "before": before, "batch": batch, "states": list(states)}
            rows, size, left, after = _one(statement, given)
            done = Pruned(table, done.rows + rows, done.before + size, done.after + left)
            yield done


def deliveries(before: datetime, *, dry_run: bool = False, batch: int = BATCH) -> Iterator[Pruned]:
    """Delete what webhooks were told of long ago: whatever was told stands in the events."""
    done = Pruned(Delivery._meta.db_table)
    closed = Delivery.objects.exclude(status__in=OPEN).filter(created_at__lt=before)
    for webhook_id in Webhook.objects.order_by("pk").values_list("pk", flat=True):
        of_one = closed.filter(webhook_id=webhook_id)
        if dry_run:
            done = Pruned(done.table, done.rows + of_one.count())
            continue
        while deleted := Delivery.objects.filter(pk__in=of_one.values("pk")[:batch]).delete()[0]:
            done = Pruned(done.table, done.rows + deleted)
            yield done
    yield done


def blobs(*, dry_run: bool = False, batch: int = BATCH) -> Iterator[Pruned]:
    """Delete the files of blobs that no row names, older than a day; raises BeingCopied while a backup is made."""
    before = (timezone.now() - ORPHAN_AGE).timestamp()
    with nullcontext() if dry_run else taking_away():
        for done in orphans.sweep(_named, before, dry_run=dry_run, batch=batch):
            yield Pruned(BLOBS, done.files, done.bytes)


def _named(digests: list[str]) -> set[str]:
    found = (rows.objects.filter(blob_sha256__in=digests) for rows in (Artifact, Attachment))
    return {digest for rows in found for digest in rows.values_list("blob_sha256", flat=True)}


def sizes() -> dict[str, int]:
    """Return what tables, indexes and long values included, and blobs take on the disk."""
    names = [model._meta.db_table for model in TABLES]
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, pg_total_relation_size(name::regclass) FROM unnest(%s::text[]) AS name", [names])
        return {**dict(cursor.fetchall()), BLOBS: orphans.size()}


def reclaim() -> None:
    """Let the tables use again what was freed; the files shrink only where their ends became empty."""
    with connection.cursor() as cursor:
        for model in TABLES:
            cursor.execute(f"VACUUM (ANALYZE) {model._meta.db_table}")


def _one(statement: str, given: dict[str, Any]) -> Any:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, given)
        return cursor.fetchone()


def _statement(table: str, columns: tuple[str, ...], *, dry_run: bool) -> str:
    size = " + ".join(f"coalesce(octet_length(c.{name}::text), 0)" for name in columns)
    changes = ", ".join(f"{name} = {MARK.format(f'c.{name}')}" for name in columns)
    locking = "" if dry_run else "FOR UPDATE OF c SKIP LOCKED"
    chosen = CHOSEN.format(table=table, size=size, first=columns[0], locking=locking)
    return chosen + (COUNTED if dry_run else PRUNED.format(table=table, changes=changes, size=size))
