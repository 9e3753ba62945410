"""`manage.py api_token USERNAME`: make a new API token and print it, once; an earlier one ends."""

from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from rest_framework.authtoken.models import Token

from goals.exceptions import InvalidInput
from goals.management.base import GoalsiteCommand


class Command(GoalsiteCommand):
    help = "Print a new API token for a user, once; an earlier one stops working."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("username")

    def handle(self, **options: Any) -> None:
        self.stdout.write(new_token(options["username"]))


def new_token(username: str) -> str:
    """Replace the user's token; raises InvalidInput when there is no such active user."""
    user = get_user_model().objects.filter(username=username.replace("\0", ""), is_active=True).first()
    if user is None:
        raise InvalidInput({"username": f"there is no active user {username[:80]!r}"})
    with transaction.atomic():
        Token.objects.filter(user=user).delete()
        return Token.objects.create(user=user).key
