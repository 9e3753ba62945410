"""Sending one delivery: read, call, write down. No connection to the database is held across the call.

A worker that dies in between leaves a row whose time comes again. What a late worker brings home is dropped: its mark
is no longer the row's.
"""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from artifacts.clean import clean_text
from goals import tally
from goals.connections import pooled
from goals.door.asking import ask
from goals.door.errors import DoorError
from goals.llm.transport import retry_after
from goals.models import Delivery, Webhook
from goals.models.delivery import DeliveryStatus
from goals.webhooks import ending
from goals.webhooks.claiming import Claim
from goals.webhooks.letters import Letter, letter, may_tell
from goals.webhooks.signing import SecretLost
from goals.webhooks.verdicts import Outcome, answered, next_status, next_time

logger = logging.getLogger(__name__)
KEPT_OF_REPLY = 65_536


def send(claim: Claim) -> None:
    """Send what was claimed, and write down what it came to."""
    with pooled():
        found = _read(claim)
    if found is None:
        return
    outcome = _call(found)
    with pooled():
        _record(claim, outcome)


def _read(claim: Claim) -> Letter | Outcome | None:
    """Return what is to be sent, or why it cannot be; None when there is nothing to do any more."""
    delivery = _taken(claim).select_related("webhook__owner", "goal", "event__goal").first()
    if delivery is None:
        return None
    if delivery.event is not None and not may_tell(delivery.webhook, delivery.event):
        told = "the webhook's owner may no longer read of this goal"
        _close(claim, status=DeliveryStatus.GIVEN_UP, error=told)
        return None
    try:
        return letter(delivery, timezone.now())
    except SecretLost as error:
        return Outcome(error=str(error))


def _call(found: Letter | Outcome) -> Outcome:
    if isinstance(found, Outcome):
        return found
    given: dict[str, Any] = {"headers": found.headers, "body": found.body, "most": KEPT_OF_REPLY}
    try:
        reply = ask("POST", found.address, seconds=settings.GOALSITE_WEBHOOK_SECONDS, **given)
    except DoorError as error:
        return Outcome(error=str(error))
    return answered(reply.status, retry_after(reply.headers))


def _record(claim: Claim, outcome: Outcome) -> None:
    with transaction.atomic():
        delivery = _taken(claim).select_for_update(no_key=True, of=("self",)).select_related("webhook", "goal").first()
        if delivery is None:
            logger.info("delivery %s: somebody else has it in hand; what came back is dropped", claim.delivery_id)
            return
        now = timezone.now()
        status = next_status(outcome, delivery.attempts, settings.GOALSITE_WEBHOOK_ATTEMPTS)
        times: dict[str, Any] = {}
        if status == DeliveryStatus.FAILED:
            base = float(settings.GOALSITE_WEBHOOK_RETRY_SECONDS)
            times["due_at"] = next_time(outcome, delivery.attempts, base, str(delivery.pk), now)
        if status == DeliveryStatus.DELIVERED:
            times["delivered_at"] = now
        said = {"status_code": outcome.status_code, "error": clean_text(outcome.error)[:2000]}
        _close(claim, status=status, **said, **times)
        _tell_webhook(delivery, outcome, now)
    tally.count("webhook_deliveries", outcome=status.value)


def _tell_webhook(delivery: Delivery, outcome: Outcome, now: datetime) -> None:
    """Note since when its calls have failed; one that has failed for long, or wants no more, is disabled."""
    rows = Webhook.objects.filter(pk=delivery.webhook_id)
    if outcome.is_well:
        rows.exclude(failing_since=None).update(failing_since=None)
        return
    rows.filter(failing_since=None).update(failing_since=now)
    since = delivery.webhook.failing_since or now
    if now - since >= timedelta(seconds=settings.GOALSITE_WEBHOOK_DISABLE_AFTER) or outcome.is_gone:
        lasting = f"every call since {since:%Y-%m-%d %H:%M} UTC failed, the last: {outcome.error}"
        because = "its receiver says that it is gone (410)" if outcome.is_gone else lasting
        transaction.on_commit(lambda: ending.disable(delivery.webhook_id, because, delivery.goal_id))


def _taken(claim: Claim) -> Any:
    return Delivery.objects.filter(pk=claim.delivery_id, taken_by=claim.mark)


def _close(claim: Claim, **columns: Any) -> None:
    _taken(claim).update(taken_by=None, **columns)
