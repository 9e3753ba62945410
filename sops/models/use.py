"""That a goal followed a version, and how it went: the version's track record."""

from django.db import models
from django.db.models import Q

from sops.keys import uuid7
from sops.models.version import SopVersion


class UseOutcome(models.TextChoices):
    RUNNING = "running"
    ACHIEVED = "achieved"
    FAILED = "failed"
    CANCELLED = "cancelled"


class SopUse(models.Model):
    """The goal is known by its id alone: this app does not know goals. Cost in USD."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    version = models.ForeignKey(SopVersion, on_delete=models.CASCADE, related_name="uses")
    goal_id = models.UUIDField(db_index=True)
    outcome = models.CharField(max_length=10, choices=UseOutcome, default=UseOutcome.RUNNING)
    cost = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    seconds = models.FloatField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]
        verbose_name = "SOP use"
        constraints = [
            models.UniqueConstraint(fields=["version", "goal_id"], name="sopuse_once_per_goal"),
            models.CheckConstraint(condition=Q(outcome__in=UseOutcome.values), name="sopuse_outcome_known"),
            models.CheckConstraint(condition=Q(cost__gte=0) & Q(seconds__gte=0), name="sopuse_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.version} for {self.goal_id}: {self.outcome}"
