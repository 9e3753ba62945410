"""Errors as `application/problem+json` (RFC 9457): a stable `code`, and `errors` by field where input was refused."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, JsonResponse
from rest_framework import exceptions as drf
from rest_framework import status

from goals import exceptions as ours

CODES: tuple[tuple[type[Exception], int, str], ...] = (
    (ours.InvalidInput, status.HTTP_400_BAD_REQUEST, "invalid_input"),
    (ours.NotFound, status.HTTP_404_NOT_FOUND, "not_found"),
    (ours.NotAllowed, status.HTTP_403_FORBIDDEN, "not_allowed"),
    (ours.AlreadyAnswered, status.HTTP_409_CONFLICT, "already_answered"),
    (ours.StaleGoal, status.HTTP_409_CONFLICT, "stale_goal"),
    (ours.IllegalMove, status.HTTP_409_CONFLICT, "illegal_move"),
    (ours.BudgetExceeded, status.HTTP_409_CONFLICT, "budget_exceeded"),
    (ours.TookTooLong, status.HTTP_503_SERVICE_UNAVAILABLE, "took_too_long"),
    (drf.ValidationError, status.HTTP_400_BAD_REQUEST, "invalid_input"),
    (drf.ParseError, status.HTTP_400_BAD_REQUEST, "malformed"),
    (drf.NotAuthenticated, status.HTTP_401_UNAUTHORIZED, "not_authenticated"),
    (drf.AuthenticationFailed, status.HTTP_401_UNAUTHORIZED, "authentication_failed"),
    (drf.PermissionDenied, status.HTTP_403_FORBIDDEN, "not_allowed"),
    (drf.NotFound, status.HTTP_404_NOT_FOUND, "not_found"),
    (drf.MethodNotAllowed, status.HTTP_405_METHOD_NOT_ALLOWED, "method_not_allowed"),
    (drf.NotAcceptable, status.HTTP_406_NOT_ACCEPTABLE, "not_acceptable"),
    (drf.UnsupportedMediaType, status.HTTP_415_UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type"),
    (drf.Throttled, status.HTTP_429_TOO_MANY_REQUESTS, "throttled"),
)
TITLES = {
    "invalid_input": "What was sent cannot be accepted",
    "malformed": "The body cannot be read",
    "not_found": "There is no such thing",
    "not_allowed": "You may not do this",
    "not_authenticated": "Say who you are",
    "authentication_failed": "Those credentials are not accepted",
    "stale_goal": "The goal has moved on",
    "already_answered": "The question was answered already",
    "illegal_move": "The goal cannot do this now",
    "budget_exceeded": "The budget does not allow this",
    "idempotency_conflict": "This Idempotency-Key was used for another request",
    "changed": "It has changed since you looked",
    "took_too_long": "The search took too long",
    "too_many_followers": "You wait at too many places at once",
    "method_not_allowed": "This cannot be done here",
    "not_acceptable": "It cannot be answered in that form",
    "unsupported_media_type": "The body must be JSON",
    "throttled": "Too many calls",
    "too_large": "The body is too large",
}


class Problem(drf.APIException):
    """A refusal of the API itself, with its status and code, and what else its body tells."""

    def __init__(self, status_code: int, code: str, detail: str, **more: Any) -> None:
        super().__init__(detail, code)
        self.status_code, self.problem_code, self.more = status_code, code, more


def problem_response(error: Exception, context: Mapping[str, Any]) -> JsonResponse | None:
    """DRF's exception handler; None for what is nobody's input: that is raised, logged and answered with 500."""
    if isinstance(error, Http404):
        error = drf.NotFound()
    elif isinstance(error, PermissionDenied):
        error = drf.PermissionDenied()
    known = _known(error)
    if known is None:
        return None
    number, code = known
    body = {
        "type": f"urn:goalsite:problem:{code}",
        "title": TITLES.get(code, code.replace("_", " ").capitalize()),
        "status": number,
        "detail": _detail(error),
        "code": code,
        **getattr(error, "more", {}),
    }
    errors = errors_of(error)
    if errors:
        body["errors"] = errors
    headers = _headers(error)
    return JsonResponse(body, status=number, content_type="application/problem+json", headers=headers)


def _known(error: Exception) -> tuple[int, str] | None:
    if isinstance(error, Problem):
        return error.status_code, error.problem_code
    for kind, number, code in CODES:
        if isinstance(error, kind):
            # Without a way to say who you are, DRF turns 401 into 403 by setting the status on the error.
            return getattr(error, "status_code", number), code
    return None


def _detail(error: Exception) -> str:
    if isinstance(error, drf.ValidationError):
        return "; ".join(f"{name}: {text}" for name, text in errors_of(error).items())
    if isinstance(error, drf.APIException):
        return str(error.detail)
    return str(error)


def errors_of(error: Exception) -> dict[str, str]:
    """Return what is wrong by field, nested fields as `limits.cost_usd`."""
    if isinstance(error, ours.InvalidInput):
        return dict(error.errors)
    if not isinstance(error, drf.ValidationError):
        return {}
    found: dict[str, str] = {}
    for name, text in _flat(error.detail, ()):
        found[name] = f"{found[name]} {text}" if name in found else text
    return found


def _flat(detail: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            yield from _flat(inner, path if name == "non_field_errors" else (*path, str(name)))
    elif isinstance(detail, list):
        for inner in detail:
            yield from _flat(inner, path)
    else:
        yield ".".join(path) or "body", str(detail)


def _headers(error: Exception) -> dict[str, str]:
    headers = {}
    if getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = error.auth_header
    if getattr(error, "wait", None):
        headers["Retry-After"] = f"{math.ceil(error.wait)}"
    return headers
