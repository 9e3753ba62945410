"""The right to interpret a message: taken with SKIP LOCKED, held by a lease, fenced by a number.

Messages of one conversation are taken in their order, one at a time. A crash costs the rest of a lease.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from goals.connections import pooled
from goals.exceptions import StaleGoal
from goals.models import Message

logger = logging.getLogger(__name__)
CLAIM = """
WITH waiting AS MATERIALIZED (
    SELECT m.id FROM goals_message m
    WHERE m.role = 'user' AND m.interpreted_at IS NULL
        AND (m.claimed_until IS NULL OR m.claimed_until < clock_timestamp())
        AND NOT EXISTS (
            SELECT 1 FROM goals_message earlier
            WHERE earlier.conversation_id = m.conversation_id AND earlier.number < m.number
                AND earlier.role = 'user' AND earlier.interpreted_at IS NULL
        )
    ORDER BY m.created_at LIMIT %(limit)s FOR UPDATE OF m SKIP LOCKED
)
UPDATE goals_message m SET claims = m.claims + 1,
    claimed_until = clock_timestamp() + %(seconds)s * interval '1 second'
FROM waiting WHERE m.id = waiting.id RETURNING m.id, m.claims
"""
RENEW = """
UPDATE goals_message SET claimed_until = clock_timestamp() + %(seconds)s * interval '1 second'
WHERE id = %(id)s AND claims = %(number)s AND interpreted_at IS NULL
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """One worker's right to interpret `message_id`; a later claim has a higher number."""

    message_id: Any
    number: int


def take(limit: int) -> list[Claim]:
    """Claim up to `limit` messages that wait to be interpreted."""
    with connection.cursor() as cursor:
        cursor.execute(CLAIM, {"seconds": settings.GOALSITE_LEASE_SECONDS, "limit": limit})
        return [Claim(*row) for row in cursor.fetchall()]


def first_claim() -> dict[str, Any]:
    """Return the columns of a message that whoever writes it interprets at once."""
    return {"claims": 1, "claimed_until": timezone.now() + timedelta(seconds=settings.GOALSITE_LEASE_SECONDS)}


@contextmanager
def kept(claim: Claim) -> Iterator[None]:
    """Keep a claim alive for as long as the block lasts."""
    over = threading.Event()
    thread = threading.Thread(target=_renew, args=(claim, over), name="message-claim", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _renew(claim: Claim, over: threading.Event) -> None:
    values = {"seconds": settings.GOALSITE_LEASE_SECONDS, "id": claim.message_id, "number": claim.number}
    while not over.wait(settings.GOALSITE_LEASE_SECONDS / 3):
        try:
            with pooled(), connection.cursor() as cursor:
                cursor.execute(RENEW, values)
        except DatabaseError:
            logger.warning("could not keep the claim on message %s; trying again", claim.message_id, exc_info=True)


def finish(claim: Claim, *, failure: str = "") -> None:
    """Say, in the transaction that applies it, that the message is interpreted; raises StaleGoal for a late worker."""
    rows = Message.objects.filter(pk=claim.message_id, claims=claim.number, interpreted_at=None)
    if not rows.update(interpreted_at=timezone.now(), claimed_until=None, failure=failure[:5000]):
        raise StaleGoal("the message was interpreted by somebody else meanwhile")


def hold(claim: Claim) -> None:
    """Hold the claim to the end of the caller's transaction; raises StaleGoal for a late worker."""
    rows = Message.objects.select_for_update(no_key=True)
    if not rows.filter(pk=claim.message_id, claims=claim.number, interpreted_at=None).exists():
        raise StaleGoal("the message is in other hands")


def give_back(claim: Claim) -> None:
    """Let another worker take the message at once."""
    Message.objects.filter(pk=claim.message_id, claims=claim.number, interpreted_at=None).update(claimed_until=None)
