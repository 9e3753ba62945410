"""What a webhook is sent: an event as JSON, the same bytes each time that it is tried."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from goals.models import Delivery, Event, Webhook
from goals.webhooks import signing

LONGEST = 256 * 1024  # bytes; of a longer event its payload is left out, and read over the API


@dataclass(frozen=True, slots=True)
class Letter:
    """What is sent, and where to."""

    address: str
    headers: dict[str, str]
    body: bytes


def letter(delivery: Delivery, now: datetime) -> Letter:
    """Return the signed message of a delivery; raises SecretLost."""
    webhook = delivery.webhook
    body = body_of(delivery)
    signature = signing.headers(webhook, message_id(delivery), body, now)
    return Letter(webhook.address, {"Content-Type": "application/json", **signature}, body)


def message_id(delivery: Delivery) -> str:
    """Return what a receiver tells a repetition by."""
    return f"msg_{delivery.pk.hex}"


def body_of(delivery: Delivery) -> bytes:
    """Return the body: `type`, `timestamp`, and as `data` the goal, the event's number and its payload."""
    event = delivery.event
    if event is None:
        return _json(_told(delivery, delivery.created_at, {"webhook": str(delivery.webhook_id)}))
    data = {"goal": str(event.goal_id), "seq": event.seq, "payload": event.payload}
    body = _json(_told(delivery, event.at, data))
    return body if len(body) <= LONGEST else _json(_told(delivery, event.at, _without_payload(event)))


def may_tell(webhook: Webhook, event: Event) -> bool:
    """Whether its owner may still read of the goal: a person leaves, a permission ends."""
    owner = webhook.owner
    if not owner.is_active:
        return False
    return event.goal.owner_id == owner.pk or bool(webhook.site_wide and owner.has_perm("goals.operate"))


def _told(delivery: Delivery, at: datetime, data: dict[str, Any]) -> dict[str, Any]:
    return {"type": delivery.kind, "timestamp": at.isoformat(), "data": data}


def _without_payload(event: Event) -> dict[str, Any]:
    return {"goal": str(event.goal_id), "seq": event.seq, "payload": None, "too_long": True}


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
