"""An address of somebody's own that is told of events. Its secret is never kept: `goals/webhooks/signing.py`."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import CheckConstraint, Q

from goals.models.fields import uuid7_key

NOUN = ".*"  # after a noun: all its kinds


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def visible_to(self, user) -> "WebhookQuerySet":
        """Return a person's own, or all for one with `goals.operate`, who alone sees those that are site-wide."""
        rows = self.filter(removed_at=None)
        if user.has_perm("goals.operate"):
            return rows
        return rows.filter(owner_id=user.pk, site_wide=False)

    def troubled(self) -> "WebhookQuerySet":
        """Return those that were disabled, or whose last call failed."""
        return self.filter(Q(failing_since__isnull=False) | ~Q(disabled_because=""), removed_at=None)


class Webhook(models.Model):
    """What it is told of: events of its owner's goals, of one goal, or (`site_wide`, an operator's) of everybody's.

    The database makes the deliveries, with each event, by a trigger of the table of events. A webhook is never deleted:
    an event that is being written may be about to tell it.
    """

    id = uuid7_key()
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="webhooks")
    name = models.CharField(max_length=100, blank=True, help_text="What it is for.")
    address = models.CharField(max_length=2000, help_text="Where events are sent to, by POST: https://…")
    kinds = ArrayField(
        models.CharField(max_length=40),
        default=list,
        blank=True,
        help_text="Kinds of events, such as goal.completed or question.* (all of a noun); none: every kind.",
    )
    goal = models.ForeignKey(
        "goals.Goal",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="webhooks",
        help_text="The only goal whose events are told; none: every goal.",
    )
    site_wide = models.BooleanField(default=False, help_text="Everybody's goals; an operator's webhook only.")
    active = models.BooleanField(default=True)

    salt = models.CharField(max_length=32, editable=False)
    key_mark = models.CharField(max_length=16, editable=False)
    previous_salt = models.CharField(max_length=32, blank=True, editable=False)
    previous_key_mark = models.CharField(max_length=16, blank=True, editable=False)
    previous_until = models.DateTimeField(null=True, blank=True, editable=False)

    created_at = models.DateTimeField(auto_now_add=True)
    failing_since = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When a call failed first after the last that got through."
    )
    disabled_because = models.TextField(blank=True, editable=False)
    removed_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = WebhookQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            CheckConstraint(
                name="webhook_silent_when_disabled_or_removed",
                condition=Q(active=False) | Q(disabled_because="", removed_at__isnull=True),
            ),
            CheckConstraint(
                name="webhook_previous_secret_has_an_end",
                condition=Q(previous_salt="", previous_until__isnull=True)
                | ~Q(previous_salt="") & Q(previous_until__isnull=False),
            ),
        ]
        indexes = [models.Index(fields=["owner"], name="webhook_of_owner", condition=Q(active=True))]

    def __str__(self) -> str:
        return self.name or self.address[:80]
