"""A goal shown to others: to a person, or by a link to whoever has it, once it has ended.

A link's token is known to whoever has the link only.
"""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Q
from django.utils import timezone

from goals.models.fields import uuid7_key


class ShareQuerySet(models.QuerySet["Share"]):
    def live(self, now: datetime) -> "ShareQuerySet":
        """Return those that still open something."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)

    def with_person(self, user: Any) -> "ShareQuerySet":
        """Return those by which a person sees somebody else's goals now."""
        return self.live(timezone.now()).filter(viewer_id=user.pk)


class Share(models.Model):
    """With a person: `viewer`; by link: `token_hash`, SHA-256 of its token. The rule: `goals/sharing.py`."""

    id = uuid7_key()
    goal = models.ForeignKey("goals.Goal", on_delete=models.CASCADE, related_name="shares")
    viewer = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="shown_goals",
        db_index=False,
        help_text="Who sees the goal; empty: whoever has the link.",
    )
    token_hash = models.CharField(max_length=64, unique=True, null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ShareQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            CheckConstraint(
                name="share_with_a_person_or_by_link",
                condition=Q(viewer__isnull=True, token_hash__isnull=False)
                | Q(viewer__isnull=False, token_hash__isnull=True),
            ),
            CheckConstraint(
                name="share_expires_after_its_making",
                condition=Q(expires_at__isnull=True) | Q(expires_at__gt=models.F("created_at")),
            ),
            CheckConstraint(
                name="share_revoked_after_its_making",
                condition=Q(revoked_at__isnull=True) | Q(revoked_at__gte=models.F("created_at")),
            ),
        ]
        indexes = [
            models.Index(
                fields=["viewer", "goal"], name="share_of_viewer", condition=Q(viewer__isnull=False, revoked_at=None)
            )
        ]

    def __str__(self) -> str:
        return f"{f'with {self.viewer}' if self.viewer else 'a link'}, made {self.created_at:%Y-%m-%d %H:%M} UTC"
