"""The platform's own rows: long live messages, the queue's canary, one-time logins, and how far traces were sent."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


class LiveMessage(models.Model):
    """The body of a live message that is too long for NOTIFY; of use for a moment only."""

    body = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)


class Canary(models.Model):
    """The one message that is sent through the queue to see whether the workers work."""

    ONLY = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY)
    number = models.PositiveBigIntegerField(default=0, help_text="How many canaries were sent.")
    message = models.BigIntegerField(null=True, help_text="The queue's row of the last one (Postgres broker).")
    sent_at = models.DateTimeField()
    number_run = models.PositiveBigIntegerField(default=0, help_text="The last one that a worker ran.")
    run_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "canaries"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="goalsite_one_canary")]


class LoginLink(models.Model):
    """A link that logs its user in once, soon. Only the hash of its token is kept."""

    LIFETIME = timedelta(minutes=15)

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    token_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    @classmethod
    def issue(cls, user: models.Model, now: datetime) -> str:
        """Make a link for the user; returns the token, which is not kept."""
        token = secrets.token_urlsafe(32)
        cls.objects.create(user=user, token_hash=cls.hash(token), expires_at=now + cls.LIFETIME)
        return token

    @classmethod
    def redeem(cls, token: str, now: datetime) -> "LoginLink | None":
        """Use the link up; None when there is none, or it is too old, or was used."""
        valid = cls.objects.filter(token_hash=cls.hash(token), used_at=None, expires_at__gt=now)
        if not valid.update(used_at=timezone.now()):
            return None
        return cls.objects.select_related("user").get(token_hash=cls.hash(token))

    @staticmethod
    def hash(token: str) -> str:
        """What is kept of a token."""
        return hashlib.sha256(token.encode(errors="replace")).hexdigest()


class Traced(models.Model):
    """Up to which of its events a goal's trace was sent."""

    goal = models.OneToOneField("goals.Goal", on_delete=models.CASCADE, primary_key=True, related_name="+")
    seq = models.PositiveBigIntegerField(default=0)

    class Meta:
        verbose_name_plural = "traced goals"

    def __str__(self) -> str:
        return f"{self.goal_id} up to {self.seq}"
