"""How often one may call: each token, and each person who is signed in, so many reads and so many changes a minute.

All web processes count in one table. A minute's calls may come at once; after that they come at the pace of the limit.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from rest_framework.exceptions import Throttled
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from goals.models import ApiToken

WINDOW = 60.0  # seconds
TAKE = """
INSERT INTO goals_apipace AS pace (caller, due) VALUES (%(caller)s, statement_timestamp() + %(step)s * interval '1 s')
ON CONFLICT (caller) DO UPDATE SET due = greatest(pace.due, statement_timestamp()) + %(step)s * interval '1 s'
WHERE greatest(pace.due, statement_timestamp()) + %(step)s * interval '1 s'
    <= statement_timestamp() + %(window)s * interval '1 s'
RETURNING extract(epoch FROM due - statement_timestamp())::float
"""
LOOK = "SELECT extract(epoch FROM due - statement_timestamp())::float FROM goals_apipace WHERE caller = %(caller)s"


@dataclass(frozen=True)
class Rate:
    """Where a caller stands: `ahead` is by how many seconds they are ahead of the pace, `wait` when they may call."""

    limit: int
    ahead: float
    wait: float

    def headers(self) -> dict[str, str]:
        """Return the rate as it is told with every answer."""
        left = 0 if self.wait else math.floor((WINDOW - self.ahead) * self.limit / WINDOW + 1e-6)
        told = {"Limit": self.limit, "Remaining": max(0, left), "Reset": math.ceil(max(0.0, self.ahead))}
        return {f"RateLimit-{name}": str(value) for name, value in told.items()}


def take(caller: str, limit: int, calls: int = 1) -> Rate:
    """Count calls of somebody who may make `limit` a minute; what is refused is not counted."""
    given = {"caller": caller, "step": WINDOW / limit * calls, "window": WINDOW}
    with connection.cursor() as cursor:
        cursor.execute(TAKE, given)
        if row := cursor.fetchone():
            return Rate(limit, row[0], 0.0)
        cursor.execute(LOOK, given)
        ahead = (cursor.fetchone() or [0.0])[0]
    return Rate(limit, ahead, max(0.001, ahead + given["step"] - WINDOW))


class RateLimit(BaseThrottle):
    """DRF's throttle: the limits are `GOALSITE_API_READS` and `GOALSITE_API_CHANGES`; 0 is none."""

    rate: Rate | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        """Whether this call may be made."""
        self.rate = _count(request, 1)
        return self.rate is None or not self.rate.wait

    def wait(self) -> float | None:
        """Return for how many seconds the caller is to wait."""
        return self.rate.wait if self.rate else None


def count_more(request: Request, calls: int) -> None:
    """Count a call that does the work of several as so many more, a minute's calls at most; raises Throttled."""
    if calls and (rate := _count(request, calls, counted=1)) and rate.wait:
        raise Throttled(rate.wait)


def _count(request: Request, calls: int, counted: int = 0) -> Rate | None:
    reads = request.method in SAFE_METHODS
    limit = settings.GOALSITE_API_READS if reads else settings.GOALSITE_API_CHANGES
    if not limit or not request.user.is_authenticated:
        return None
    caller = f"{caller_of(request)}:{'read' if reads else 'change'}"
    rate = request._request.rate = take(caller, limit, min(calls, limit - counted))
    return rate


class RateHeaders:
    """Middleware: tells with every answer of the API how much may still be asked for."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if rate := getattr(request, "rate", None):
            for name, value in rate.headers().items():
                response[name] = value
        return response


def caller_of(request: Request) -> str:
    """Return who calls: a token, or the person of a session."""
    return f"token:{request.auth.pk}" if isinstance(request.auth, ApiToken) else f"person:{request.user.pk}"
