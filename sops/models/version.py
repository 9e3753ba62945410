"""What a procedure says at one point of its life."""

from __future__ import annotations

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from sops.keys import uuid7
from sops.models.sop import Sop, SopStatus


class SopOrigin(models.TextChoices):
    LIBRARY = "library"
    IMPORTED = "imported"
    PERSON = "person"
    DISTILLED = "distilled"


class SopVersionQuerySet(models.QuerySet):
    def current(self) -> SopVersionQuerySet:
        """The versions that a new goal may follow."""
        return self.filter(is_current=True, sop__status=SopStatus.ACTIVE).select_related("sop")


class SopVersion(models.Model):
    """A version never changes: a changed text is the next number. At most one of an SOP is current."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    sop = models.ForeignKey(Sop, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField(validators=[MinValueValidator(1)])
    is_current = models.BooleanField(default=False)
    title = models.CharField(max_length=200)
    intent = models.TextField()
    description = models.TextField(blank=True)
    prerequisites = models.JSONField(default=list, blank=True)
    inputs = models.JSONField(default=list, blank=True)
    outputs = models.JSONField(default=list, blank=True)
    tags = models.JSONField(default=list, blank=True)
    quality = models.JSONField(default=dict, blank=True)
    verifier = models.JSONField(null=True, blank=True)
    origin = models.CharField(max_length=10, choices=SopOrigin, default=SopOrigin.IMPORTED)
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SopVersionQuerySet.as_manager()

    class Meta:
        ordering = ["sop", "-number"]
        verbose_name = "SOP version"
        constraints = [
            models.UniqueConstraint(fields=["sop", "number"], name="sopversion_number_once"),
            models.UniqueConstraint(fields=["sop"], condition=Q(is_current=True), name="sopversion_one_current"),
            models.CheckConstraint(condition=Q(number__gte=1), name="sopversion_number_positive"),
            models.CheckConstraint(condition=Q(origin__in=SopOrigin.values), name="sopversion_origin_known"),
        ]

    def __str__(self) -> str:
        return f"{self.sop.slug} v{self.number}"
