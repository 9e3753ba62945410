"""`manage.py api_token USERNAME`: make an API token and print it, once; list a person's tokens, or end one."""

from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from goals.exceptions import InvalidInput
from goals.management.base import GoalsiteCommand
from goals.models import ApiToken
from goals.models.api_token import Scope

DEFAULT_NAME = "api"
LONGEST_NAME, MOST_DAYS = 100, 3650


class Command(GoalsiteCommand):
    help = "Print a new API token for a user, once; an earlier one of the same name stops working."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("username")
        parser.add_argument("--name", default=DEFAULT_NAME, help="what it is for")
        parser.add_argument(
            "--scope", action="append", choices=[scope.value for scope in Scope], help="default: read, act"
        )
        parser.add_argument("--days", type=int, help="how long it lasts; default: until it is ended")
        parser.add_argument("--list", action="store_true", help="show the user's tokens, without the tokens themselves")
        parser.add_argument("--end", action="store_true", help="end the token of that name")

    def handle(self, **options: Any) -> None:
        user = _user(options["username"])
        if options["list"]:
            self._list(user)
        elif options["end"]:
            self._end(user, options["name"])
        else:
            self.stdout.write(new_token(user, options["name"], options["scope"], options["days"]))

    def _list(self, user: Any) -> None:
        for token in ApiToken.objects.living().filter(user=user):
            until = f"until {token.expires_at:%Y-%m-%d %H:%M}" if token.expires_at else "does not expire"
            used = f"used {token.used_at:%Y-%m-%d %H:%M}" if token.used_at else "not used"
            self.stdout.write(f"{token.name}  {token.beginning}…  {','.join(token.scopes)}  {until}  {used}")

    def _end(self, user: Any, name: str) -> None:
        if not ApiToken.objects.living().filter(user=user, name=name).update(ended_at=timezone.now()):
            raise InvalidInput({"name": f"{user} has no token {name[:80]!r}; `--list` shows what there is"})


def new_token(user: Any, name: str, scopes: list[str] | None, days: int | None) -> str:
    """Make a token; raises InvalidInput that names the field."""
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise InvalidInput({"name": f"must be one line of 1 to {LONGEST_NAME} characters"})
    if days is not None and not 1 <= days <= MOST_DAYS:
        raise InvalidInput({"days": f"must be a whole number from 1 to {MOST_DAYS}"})
    expires_at = None if days is None else timezone.now() + timedelta(days=days)
    wanted = sorted(set(scopes or [Scope.READ, Scope.ACT]))
    _, secret = ApiToken.objects.issue(user, name=name, scopes=wanted, expires_at=expires_at)
    return secret


def _user(username: str) -> Any:
    user = get_user_model().objects.filter(username=username.replace("\0", ""), is_active=True).first()
    if user is None:
        raise InvalidInput({"username": f"there is no active user {username[:80]!r}"})
    return user
