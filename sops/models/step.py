"""One step of a procedure."""

from django.db import models
from django.db.models import Q

from sops.keys import uuid7
from sops.models.version import SopVersion


class Predicate(models.TextChoices):
    COMPOSITE = "composite"
    USE_TOOL = "use_tool"
    GATHER_INFO = "gather_info"
    CONFIRM = "confirm"
    PRESENT_INFO = "present_info"
    EXECUTE = "execute"


class Operation(models.TextChoices):
    THINK = "think"
    WRITE = "write"
    SEARCH = "search"


class SopStep(models.Model):
    """Positions count from 0. `evidence_key` is "" where the step leaves no artifact."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    version = models.ForeignKey(SopVersion, on_delete=models.CASCADE, related_name="steps")
    position = models.PositiveSmallIntegerField()
    title = models.CharField(max_length=200, blank=True)
    gloss = models.TextField()
    predicate = models.CharField(max_length=12, choices=Predicate)
    operation = models.CharField(max_length=8, choices=Operation, blank=True)
    evidence_key = models.CharField(max_length=80, blank=True)
    tools = models.JSONField(default=list, blank=True)
    args = models.JSONField(default=dict, blank=True)
    done_when = models.JSONField(default=list, blank=True)
    prompt = models.TextField(blank=True)

    class Meta:
        ordering = ["version", "position"]
        verbose_name = "SOP step"
        constraints = [
            models.UniqueConstraint(fields=["version", "position"], name="sopstep_position_once"),
            models.CheckConstraint(condition=Q(predicate__in=Predicate.values), name="sopstep_predicate_known"),
            models.CheckConstraint(
                condition=Q(operation="") | Q(operation__in=Operation.values), name="sopstep_operation_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position}. {self.title or self.gloss}"
