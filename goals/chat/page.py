"""What all views of the page share: who may see it, its security headers, and errors as its script reads them."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from goals.chat.pieces import wants_fragment
from goals.exceptions import GoalError, InvalidInput, NotAllowed, NotFound, StaleGoal

View = Callable[..., HttpResponse]
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)


def strict(view: View) -> View:
    """Give a view's responses the page's content security policy, and keep them out of caches."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response["Content-Security-Policy"] = POLICY
        return response

    return never_cache(wrapped)


def for_people(view: View) -> View:
    """Let only signed-in people in, and tell errors: as JSON to the page's script, as a page to a browser."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            if wants_fragment(request):
                return problem(401, "You are signed out. Sign in again.")
            return redirect_to_login(request.get_full_path())
        try:
            return view(request, *args, **kwargs)
        except GoalError as error:
            return _refused(request, error)

    return strict(wrapped)


def _refused(request: HttpRequest, error: GoalError) -> HttpResponse:
    status = _status(error)
    if wants_fragment(request):
        return problem(status, str(error), error.errors if isinstance(error, InvalidInput) else {})
    return render(request, "chat/refused.html", {"error": error, "status": status}, status=status)


def problem(status: int, message: str, errors: dict[str, str] | None = None) -> JsonResponse:
    """Return an error with the fields that were refused."""
    return JsonResponse({"message": message, "errors": errors or {}}, status=status)


def _status(error: GoalError) -> int:
    for kind, status in ((NotFound, 404), (NotAllowed, 403), (StaleGoal, 409)):
        if isinstance(error, kind):
            return status
    return 400
