"""Signing in and out as the page and its sockets meet it: a socket ends with the session that opened it."""

import hashlib
from types import SimpleNamespace
from typing import Any

from django.contrib.auth import get_user
from django.contrib.auth.signals import user_logged_out
from django.contrib.auth.views import LoginView
from django.contrib.sessions.backends.db import SessionStore
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, JsonResponse

from goals import announce
from goals.chat.live_reading import in_thread
from goals.chat.page import problem
from goals.chat.pieces import wants_fragment

REFUSED = "That name and password do not belong together. Passwords distinguish capital letters."


class SignIn(LoginView):
    """The sign-in page, and the dialog of a page whose session has ended: it is answered with JSON."""

    template_name = "chat/login.html"
    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Tell a dialog that somebody has signed in meanwhile, as in another tab."""
        if wants_fragment(request) and request.user.is_authenticated:
            return _told(request)
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        return _told(self.request) if wants_fragment(self.request) else response

    def form_invalid(self, form: Any) -> HttpResponse:
        return problem(400, REFUSED) if wants_fragment(self.request) else super().form_invalid(form)


def _told(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"user": request.user.get_username()})


def session_group(key: str) -> str:
    """The group of a session's sockets; the key itself is told to nobody."""
    return f"session.{hashlib.sha256(key.encode()).hexdigest()[:40]}"


@in_thread
def signed_in(key: str, user_id: Any) -> Any:
    """Return a session's person as they are now; None when it has ended or run out, or its account is shut."""
    user = get_user(SimpleNamespace(session=SessionStore(key)))  # type: ignore[arg-type]
    return user if user.is_authenticated and user.pk == user_id else None


@receiver(user_logged_out, dispatch_uid="goals.sockets")
def end_sockets(sender: Any, request: HttpRequest, **_: Any) -> None:
    """Tell a session's sockets that it is over."""
    key = request.session.session_key
    if key:
        announce.send(session_group(key), {"type": "session.ended"})
