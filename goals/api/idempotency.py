"""`Idempotency-Key` on POST: the same request sent again, or twice at once, is done once and answered alike.

The key's row is inserted first, in the transaction of the work: a second request waits at the unique index until the
first has committed, then finds its answer. What was refused leaves no row, so it can be corrected under the same key.
A response that tells something once says in `kept` what is answered to repetitions.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.utils import timezone
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from goals.api.problems import Problem
from goals.api.single import Versioned
from goals.digests import digest
from goals.models.idempotency import KEPT, IdempotentRequest

HEADER = "Idempotency-Key"
KEY = re.compile(r"[\x21-\x7e]{1,200}")


def key_of(request: Request) -> str | None:
    """Return the request's key, None when it has none; raises ValidationError."""
    key = request.headers.get(HEADER)
    if key is not None and not KEY.fullmatch(key):
        raise ValidationError({HEADER: "must be 1 to 200 visible ASCII characters without spaces"})
    return key


def once(request: Request, key: str, work: Callable[[], Response]) -> Response:
    """Do the work, or return what was answered when it was done under this key."""
    sealed = digest(request.method, request.path, request.query_params, request.data)
    with transaction.atomic():
        row = _take(request.user, key, sealed)
        if row is None:
            return _earlier(request.user, key, sealed)
        response = work()
        kept = getattr(response, "kept", response.data)
        row.status, row.body = response.status_code, json.loads(JSONRenderer().render(kept) or b"null")
        row.version = getattr(response, "version", None)
        row.save(update_fields=["status", "body", "version"])
        return response


def _take(user: Any, key: str, sealed: str) -> IdempotentRequest | None:
    """Insert the key's row; None when it is there already. Waits for a request in hand with the same key."""
    now = timezone.now()
    IdempotentRequest.objects.filter(user=user, created_at__lt=now - KEPT).delete()
    row = IdempotentRequest(user=user, key=key, digest=sealed, created_at=now)
    IdempotentRequest.objects.bulk_create([row], ignore_conflicts=True)
    return row if IdempotentRequest.objects.filter(pk=row.pk).exists() else None


def _earlier(user: Any, key: str, sealed: str) -> Response:
    row = IdempotentRequest.objects.get(user=user, key=key)
    if row.digest != sealed:
        raise Problem(409, "idempotency_conflict", f"{HEADER} {key[:40]!r} was sent before with another request")
    answer = Versioned(row.body, row.version, row.status)
    answer["Idempotency-Replayed"] = "true"
    return answer
