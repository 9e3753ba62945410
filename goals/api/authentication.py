"""Who calls the API: the person of a token, within the token's scopes."""

from datetime import timedelta
from typing import Any

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from goals.models import ApiToken, LimitedUser
from goals.models.api_token import Scope, digest_of

KEYWORDS = (b"token", b"bearer")
NOTED_EVERY = timedelta(minutes=1)


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Token …` or `Bearer …`; a token without `operate` has none of its person's permissions."""

    def authenticate(self, request: Request) -> tuple[Any, ApiToken] | None:
        """Return the person and the token; None when no token was sent; raises AuthenticationFailed."""
        words = get_authorization_header(request).split()
        if not words or words[0].lower() not in KEYWORDS:
            return None
        if len(words) != 2:
            raise AuthenticationFailed("the header must be `Authorization: Token`, a space, and the token")
        token = ApiToken.objects.filter(digest=digest_of(words[1].decode("latin-1"))).select_related("user").first()
        if token is None or not token.user.is_active:
            raise AuthenticationFailed("this token is not known")
        now = timezone.now()
        if token.ended_at is not None:
            raise AuthenticationFailed("this token was ended; make a new one with `manage.py api_token`")
        if token.expires_at is not None and token.expires_at <= now:
            said = f"this token expired at {token.expires_at:%Y-%m-%d %H:%M} UTC; make a new one"
            raise AuthenticationFailed(said)
        if token.used_at is None or now - token.used_at > NOTED_EVERY:
            ApiToken.objects.filter(pk=token.pk).update(used_at=now)
        return _person(token), token

    def authenticate_header(self, request: Request) -> str:
        """Return what a refusal asks for."""
        return "Token"


def _person(token: ApiToken) -> Any:
    if Scope.OPERATE in token.scopes:
        return token.user
    limited = LimitedUser()
    limited.__dict__.update(token.user.__dict__)
    limited.is_superuser = limited.is_staff = False
    return limited


class WithinScopes(BasePermission):
    """A token looks with `read` and changes with `act`; a person who is signed in needs neither."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the token, if it is one, may do this."""
        if not isinstance(request.auth, ApiToken):
            return True
        needed = Scope.READ if request.method in SAFE_METHODS else Scope.ACT
        self.message = f"this token lacks the scope {needed.value}; it has {', '.join(request.auth.scopes)}"
        return needed in request.auth.scopes


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the schema tells of it."""

    target_class = "goals.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Return the scheme."""
        told = "A token of `manage.py api_token`, as `Authorization: Token …` or `Bearer …`."
        return {"type": "http", "scheme": "bearer", "description": told}
