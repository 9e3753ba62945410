"""A link with which anybody may read how a finished goal ended. Its token is known to whoever has the link only."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Q

from goals.models.fields import uuid7_key


class ShareQuerySet(models.QuerySet["Share"]):
    def live(self, now: datetime) -> "ShareQuerySet":
        """Return those that still open something."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)


class Share(models.Model):
    """`token_hash` is SHA-256 of the token; the rule is `goals/sharing.py`."""

    id = uuid7_key()
    goal = models.ForeignKey("goals.Goal", on_delete=models.CASCADE, related_name="shares")
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ShareQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            CheckConstraint(
                name="share_expires_after_its_making",
                condition=Q(expires_at__isnull=True) | Q(expires_at__gt=models.F("created_at")),
            ),
            CheckConstraint(
                name="share_revoked_after_its_making",
                condition=Q(revoked_at__isnull=True) | Q(revoked_at__gte=models.F("created_at")),
            ),
        ]

    def __str__(self) -> str:
        return f"a link made {self.created_at:%Y-%m-%d %H:%M} UTC"
