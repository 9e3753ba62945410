"""A token for the API: what a program may do in a person's name, and until when."""

import hashlib
import secrets
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone

from goals.models.fields import uuid7_key

MARK = "gs_"  # lets a scanner of secrets know one
SHOWN = len(MARK) + 6


class Scope(models.TextChoices):
    """`read` looks; `act` submits, answers and steers what is one's own; `operate` uses the person's permissions."""

    READ = "read"
    ACT = "act"
    OPERATE = "operate"


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def living(self, now: datetime | None = None) -> "ApiTokenQuerySet":
        """Return those that have neither ended nor expired."""
        expires = Q(expires_at=None) | Q(expires_at__gt=now or timezone.now())
        return self.filter(expires, ended_at=None)

    def issue(self, user: Any, **facts: Any) -> tuple["ApiToken", str]:
        """Make a token; returns its row and the token itself, which is not kept. One of the same name ends."""
        secret = MARK + secrets.token_urlsafe(32)
        with transaction.atomic():
            get_user_model().objects.select_for_update(no_key=True).get(pk=user.pk)  # two at once take turns
            self.filter(user=user, name=facts["name"], ended_at=None).update(ended_at=timezone.now())
            return self.create(user=user, digest=digest_of(secret), beginning=secret[:SHOWN], **facts), secret


class ApiToken(models.Model):
    """Only the SHA-256 digest is kept; `beginning` tells one token from another."""

    id = uuid7_key()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100, help_text="What it is for.")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    beginning = models.CharField(max_length=20, editable=False)
    scopes = ArrayField(models.CharField(max_length=10, choices=Scope), help_text="What it may do.")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="Empty: it does not expire.")
    used_at = models.DateTimeField(null=True, blank=True, editable=False)
    ended_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        verbose_name = "API token"
        constraints = [
            models.CheckConstraint(
                name="apitoken_known_scopes",
                condition=Q(scopes__contained_by=[scope.value for scope in Scope]) & ~Q(scopes__len=0),
            ),
            models.UniqueConstraint(fields=["user", "name"], condition=Q(ended_at=None), name="apitoken_name_once"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.beginning}…)"


def digest_of(secret: str) -> str:
    """Return what is kept of a token: it is long and random, so that a plain hash does."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
