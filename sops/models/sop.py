"""A procedure under its lasting name; what it says is in its versions."""

from __future__ import annotations

from django.db import models
from django.db.models import OuterRef, Q, Subquery

from sops.keys import uuid7


class SopStatus(models.TextChoices):
    DRAFT = "draft"
    ACTIVE = "active"
    RETIRED = "retired"


class SopQuerySet(models.QuerySet):
    def active(self) -> SopQuerySet:
        return self.filter(status=SopStatus.ACTIVE)

    def with_current(self) -> SopQuerySet:
        """Each with `current_number`, `current_title` and `current_intent` of its current version."""
        versions = self.model._meta.get_field("versions").related_model
        current = versions.objects.filter(sop=OuterRef("pk"), is_current=True)
        fields = ("number", "title", "intent")
        return self.annotate(**{f"current_{field}": Subquery(current.values(field)[:1]) for field in fields})


class Sop(models.Model):
    """Only an active SOP is offered to a goal; a retired one stays for the goals that followed it."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    slug = models.SlugField(max_length=80, unique=True)
    status = models.CharField(max_length=10, choices=SopStatus, default=SopStatus.DRAFT)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SopQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]
        verbose_name = "SOP"
        constraints = [
            models.CheckConstraint(condition=Q(status__in=SopStatus.values), name="sop_status_known"),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def current(self):
        """The version that a new goal would follow, or None."""
        return self.versions.filter(is_current=True).first()
