"""One event on its way to one webhook."""

import uuid

from django.db import models
from django.db.models import CheckConstraint, F, Q
from django.db.models.functions import Now

from goals.models.fields import choice_field, indexed_key, known_values


class DeliveryStatus(models.TextChoices):
    """`pending` was not tried yet, `failed` is tried again at its time; nothing is done any more for the others."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    GIVEN_UP = "given_up"


OPEN = [DeliveryStatus.PENDING, DeliveryStatus.FAILED]
TEST = "webhook.test"  # the kind of a delivery that somebody asked for, about no event


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def open(self) -> "DeliveryQuerySet":
        return self.filter(status__in=OPEN)

    def visible_to(self, user) -> "DeliveryQuerySet":
        """Return those of a person's own webhooks, or all for one with `goals.operate`."""
        if user.has_perm("goals.operate"):
            return self.all()
        return self.filter(webhook__owner_id=user.pk, webhook__site_wide=False)


class Delivery(models.Model):
    """Its key is the message's id: a receiver that sees it twice was told twice of one thing.

    While a worker has it in hand, `taken_by` is that worker's mark and `due_at` the time at which it is taken for dead.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = indexed_key("goals.Webhook", related_name="deliveries")
    goal = indexed_key("goals.Goal", related_name="deliveries", null=True, blank=True)
    event = indexed_key("goals.Event", related_name="deliveries", null=True, blank=True)
    seq = models.PositiveBigIntegerField(default=0)
    kind = models.CharField(max_length=40)
    status = choice_field(DeliveryStatus, default=DeliveryStatus.PENDING)
    attempts = models.PositiveIntegerField(default=0, help_text="Calls that were begun.")
    created_at = models.DateTimeField(db_default=Now())
    due_at = models.DateTimeField(db_default=Now(), help_text="When it is tried next.")
    tried_at = models.DateTimeField(null=True, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)
    taken_by = models.UUIDField(null=True, blank=True, editable=False)
    status_code = models.PositiveSmallIntegerField(null=True, blank=True, help_text="What was answered last.")
    error = models.TextField(blank=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event"], name="delivery_once"),
            known_values("delivery", "status", DeliveryStatus),
            CheckConstraint(
                name="delivery_delivered_says_when",
                condition=~Q(status=DeliveryStatus.DELIVERED) | Q(delivered_at__isnull=False),
            ),
            CheckConstraint(
                name="delivery_of_an_event_or_a_test",
                condition=Q(goal__isnull=False, event__isnull=False)
                | Q(goal__isnull=True, event__isnull=True, kind=TEST),
            ),
            CheckConstraint(name="delivery_in_hand_is_open", condition=Q(taken_by__isnull=True) | Q(status__in=OPEN)),
        ]
        indexes = [
            models.Index(fields=["webhook", "due_at"], name="delivery_for_sender", condition=Q(status__in=OPEN)),
            models.Index(fields=["webhook", "goal"], name="delivery_in_hand", condition=Q(taken_by__isnull=False)),
            models.Index(F("webhook"), F("created_at").desc(), F("id").desc(), name="delivery_list"),
            models.Index(fields=["-created_at", "-id"], name="delivery_console"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.seq or ''}".strip()
