"""Secrets and signatures by the Standard Webhooks scheme (`webhook-id`, `webhook-timestamp`, `webhook-signature`).

A secret is derived, never kept: HMAC-SHA256 of a random salt under the site's secret key. So the database gives nothing
away, and a secret lasts as long as its key is among `SECRET_KEY` and `SECRET_KEY_FALLBACKS`; `key_mark` tells which.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from goals.models import Webhook

PREFIX = "whsec_"
OVERLAP = timedelta(hours=24)  # how long the secret before a rotation still signs


class SecretLost(Exception):
    """The key that the secret was made with is no longer among the site's; rotate the secret."""


def fresh() -> dict[str, str]:
    """Return the columns of a new secret, made with the key in force."""
    return {"salt": secrets.token_hex(16), "key_mark": mark_of(settings.SECRET_KEY)}


def rotated(webhook: Webhook, now: datetime) -> dict[str, Any]:
    """Return the columns of another secret; the present one signs beside it for a while."""
    before = {"previous_salt": webhook.salt, "previous_key_mark": webhook.key_mark, "previous_until": now + OVERLAP}
    return {**before, **fresh()}


def secret_of(webhook: Webhook) -> str:
    """Return the secret as its receiver is given it; raises SecretLost."""
    return PREFIX + base64.b64encode(_derived(webhook, webhook.salt, webhook.key_mark)).decode()


def headers(webhook: Webhook, message: str, body: bytes, now: datetime) -> dict[str, str]:
    """Return the three headers of a message; raises SecretLost."""
    stamp = str(int(now.timestamp()))
    signed = b".".join([message.encode(), stamp.encode(), body])
    marks = [f"v1,{base64.b64encode(hmac.digest(key, signed, 'sha256')).decode()}" for key in _keys(webhook, now)]
    return {"webhook-id": message, "webhook-timestamp": stamp, "webhook-signature": " ".join(marks)}


def mark_of(key: str) -> str:
    """Return what tells one key of the site from another, and tells nothing of it."""
    return hashlib.sha256(b"goals.webhook.mark:" + key.encode()).hexdigest()[:16]


def _keys(webhook: Webhook, now: datetime) -> Iterator[bytes]:
    yield _derived(webhook, webhook.salt, webhook.key_mark)
    if webhook.previous_until is not None and now < webhook.previous_until:
        try:
            yield _derived(webhook, webhook.previous_salt, webhook.previous_key_mark)
        except SecretLost:
            return


def _derived(webhook: Webhook, salt: str, mark: str) -> bytes:
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        if hmac.compare_digest(mark_of(key), mark):
            return hmac.digest(key.encode(), f"goals.webhook.secret:{webhook.pk}:{salt}".encode(), "sha256")
    raise SecretLost("the site's key that its secret was made with is gone: rotate the secret")
