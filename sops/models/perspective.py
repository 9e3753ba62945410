"""One way of looking at a version, searchable by vector and by words."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models import Q
from pgvector.django import HnswIndex, VectorField

from sops.keys import uuid7
from sops.models.version import SopVersion

EMBEDDING_DIMENSIONS = 512


class PerspectiveKind(models.TextChoices):
    INTENT = "intent"
    PRECONDITIONS = "preconditions"
    TOOLS = "tools"
    OUTCOMES = "outcomes"
    STEP = "step"


class Perspective(models.Model):
    """`embedder` names what made the vector: only vectors of one embedder are compared."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    version = models.ForeignKey(SopVersion, on_delete=models.CASCADE, related_name="perspectives")
    kind = models.CharField(max_length=13, choices=PerspectiveKind)
    text = models.TextField()
    embedding = VectorField(dimensions=EMBEDDING_DIMENSIONS)
    embedder = models.CharField(max_length=120)
    words = models.GeneratedField(
        expression=SearchVector("text", config="english"), output_field=SearchVectorField(), db_persist=True
    )

    class Meta:
        ordering = ["version", "kind", "id"]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=PerspectiveKind.values), name="perspective_kind_known"),
        ]
        indexes = [
            HnswIndex(
                name="perspective_by_meaning",
                fields=["embedding"],
                m=16,
                ef_construction=64,
                opclasses=["vector_cosine_ops"],
            ),
            GinIndex(name="perspective_by_words", fields=["words"]),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.text[:60]}"
