"""The one-time login that `up` prints."""

from django.contrib.auth import get_user_model, login
from django.contrib.auth.models import AbstractUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from goalsite.models import LoginLink

OPERATOR = "operator"
BACKEND = "django.contrib.auth.backends.ModelBackend"
REFUSED = "This login link was used already or is too old. Stop the site and start it again for a new one.\n"


def operator() -> AbstractUser:
    """The first active superuser; made, without a password, when there is none."""
    users = get_user_model().objects
    found = users.filter(is_superuser=True, is_active=True).order_by("id").first()
    if found is not None:
        return found
    made, _ = users.get_or_create(username=OPERATOR)
    made.is_active = made.is_staff = made.is_superuser = True
    made.set_unusable_password()
    made.save()
    return made


@never_cache
@require_GET
def login_once(request: HttpRequest, token: str) -> HttpResponse:
    """Log the link's user in, once."""
    link = LoginLink.redeem(token, timezone.now())
    if link is None or not link.user.is_active:
        return HttpResponse(REFUSED, status=410, content_type="text/plain")
    login(request, link.user, backend=BACKEND)
    response = redirect("/")
    response["Referrer-Policy"] = "no-referrer"
    return response
