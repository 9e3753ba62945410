"""Taking deliveries in hand: a mark and a time in the row, so that what a worker that died had in hand comes again.

Of one webhook a few are in hand at once, over all workers, one alone while its calls fail: a slow receiver holds up
nobody but itself. Of one goal one at a time, in the order of its events; one that failed and waits holds nobody back.
Events that are being written wait for nothing here: their foreign key takes no lock that `NO KEY UPDATE` minds.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings

from goals import rows

AT_ONCE = 4  # of one webhook
LOOKED_AT = 200  # of one webhook, the longest due
MARGIN_SECONDS = 15
CLAIM = """
WITH hooks AS MATERIALIZED (
    SELECT w.id, CASE WHEN w.failing_since IS NULL THEN %(each)s ELSE 1 END AS most
    FROM goals_webhook w
    WHERE w.active AND EXISTS (
        SELECT 1 FROM goals_delivery d
        WHERE d.webhook_id = w.id AND d.status IN ('pending', 'failed') AND d.due_at <= statement_timestamp()
    )
    ORDER BY random() LIMIT %(most)s FOR NO KEY UPDATE SKIP LOCKED
), chosen AS MATERIALIZED (
    SELECT one.id FROM hooks CROSS JOIN LATERAL (
        SELECT ordered.id FROM (
            SELECT DISTINCT ON (due.goal_id) due.id, due.due_at FROM (
                SELECT d.id, d.goal_id, d.seq, d.due_at FROM goals_delivery d
                WHERE d.webhook_id = hooks.id AND d.status IN ('pending', 'failed')
                    AND d.due_at <= statement_timestamp() AND NOT EXISTS (
                        SELECT 1 FROM goals_delivery f
                        WHERE f.webhook_id = d.webhook_id AND f.goal_id = d.goal_id AND f.taken_by IS NOT NULL
                            AND f.due_at > statement_timestamp()
                    )
                ORDER BY d.due_at LIMIT %(looked_at)s
            ) due ORDER BY due.goal_id, due.seq, due.id
        ) ordered ORDER BY ordered.due_at LIMIT greatest(0, hooks.most - (
            SELECT count(*) FROM goals_delivery f
            WHERE f.webhook_id = hooks.id AND f.taken_by IS NOT NULL AND f.due_at > statement_timestamp()
        ))
    ) one LIMIT %(most)s
)
UPDATE goals_delivery d SET taken_by = gen_random_uuid(), attempts = d.attempts + 1, tried_at = statement_timestamp(),
    due_at = statement_timestamp() + interval '1 second' * %(seconds)s
FROM chosen WHERE d.id = chosen.id AND d.status IN ('pending', 'failed') AND d.due_at <= statement_timestamp()
RETURNING d.id, d.taken_by
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to send one delivery, until its time is over."""

    delivery_id: UUID
    mark: UUID


def claim(most: int) -> list[Claim]:
    """Take up to `most` deliveries that are due, of active webhooks."""
    seconds = settings.GOALSITE_WEBHOOK_SECONDS + MARGIN_SECONDS
    given: dict[str, Any] = {"each": AT_ONCE, "most": most, "looked_at": LOOKED_AT, "seconds": seconds}
    return [Claim(*found) for found in rows.execute(CLAIM, given).fetchall()]
