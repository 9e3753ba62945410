"""Contexts and artifacts. A row here is written once: the database refuses every later change (migration 0002)."""

import json
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Func, Q
from uuid_utils.compat import uuid7

from artifacts import storage
from artifacts.kinds import ArtifactType, Storage, Trust


def new_id():
    """A UUID of version 7: unique, and sorted by the time it was made."""
    return uuid7()


class ClockTime(Func):
    """The database's clock now, not at the start of the transaction."""

    function = "clock_timestamp"
    template = "%(function)s()"
    allowed_default = True
    output_field = models.DateTimeField()


class Context(models.Model):
    """A namespace of artifacts; it sees the artifacts of its ancestors too, nearest first.

    `path` holds its own id, then its parent's, up to the root; the database fills it in.
    """

    MAX_DEPTH = 32

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    parent = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="children")
    path = ArrayField(models.UUIDField(), default=list, blank=True, editable=False)
    created_at = models.DateTimeField(db_default=ClockTime(), editable=False)

    def __str__(self):
        return f"context {self.id}"


class Artifact(models.Model):
    """An immutable, named, versioned record that describes a value. `content()` gives the value itself."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    context = models.ForeignKey(Context, models.PROTECT, related_name="artifacts", db_index=False)
    name = models.CharField(max_length=100)
    version = models.PositiveIntegerField(default=1)
    type = models.CharField(max_length=16, choices=ArtifactType)
    storage = models.CharField(max_length=8, choices=Storage, default=Storage.INLINE)
    value = models.JSONField(null=True, blank=True)  # SQL NULL: the content is a blob
    blob_sha256 = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001  no blob is not an empty digest
    size = models.PositiveBigIntegerField(default=0)  # bytes of the blob or of the value's JSON text
    shape = models.CharField(max_length=60, blank=True)  # the size as a reader says it: "array[3]"
    media_type = models.CharField(max_length=100, default="application/json")
    description = models.TextField()
    purpose = models.TextField(blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    trust = models.CharField(max_length=16, choices=Trust, default=Trust.TRUSTED)
    derived_from = models.ManyToManyField(
        "self", through="Derivation", through_fields=("artifact", "source"), symmetrical=False, related_name="derived"
    )
    created_at = models.DateTimeField(db_default=ClockTime(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["context", "name", "version"], name="artifact_version_once"),
            models.CheckConstraint(condition=Q(version__gte=1), name="artifact_version_from_one"),
            models.CheckConstraint(condition=Q(name__regex=r"^[^\s@.:]{1,100}$"), name="artifact_name_referable"),
            models.CheckConstraint(condition=Q(type__in=ArtifactType.values), name="artifact_type_known"),
            models.CheckConstraint(condition=Q(trust__in=Trust.values), name="artifact_trust_known"),
            models.CheckConstraint(
                condition=(
                    Q(storage=Storage.INLINE, value__isnull=False, blob_sha256__isnull=True)
                    | Q(
                        storage__in=[Storage.JSON, Storage.BYTES],
                        value__isnull=True,
                        blob_sha256__regex="^[0-9a-f]{64}$",
                        blob_sha256__isnull=False,
                    )
                ),
                name="artifact_content_in_one_place",
            ),
        ]
        indexes = [
            models.Index(F("context"), F("created_at").desc(), name="artifact_evidence_since"),
            models.Index(
                fields=["context", "-created_at"],
                include=["name"],
                condition=Q(version=1),
                name="artifact_names_of_context",
            ),
            models.Index(fields=["context"], condition=Q(trust="untrusted"), name="artifact_untrusted_of_context"),
            models.Index(fields=["blob_sha256"], condition=Q(blob_sha256__isnull=False), name="artifact_of_blob"),
        ]

    def __str__(self):
        return f"@{self.name}:{self.version}"

    def content(self) -> Any:
        """The value: a JSON value, or bytes when the artifact was made of bytes. Raises BlobMissing, BlobDamaged."""
        if self.storage == Storage.INLINE:
            return self.value
        data = storage.read(self.blob_sha256)
        return data if self.storage == Storage.BYTES else json.loads(data)


class Derivation(models.Model):
    """One line of lineage: `artifact` was made from `source`. Written by the statement that makes the artifact."""

    artifact = models.ForeignKey(Artifact, models.PROTECT, related_name="+", db_index=False)
    source = models.ForeignKey(Artifact, models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["artifact", "source"], name="derivation_once"),
            models.CheckConstraint(condition=~Q(artifact=F("source")), name="derivation_not_of_itself"),
        ]

    def __str__(self):
        return f"{self.artifact_id} from {self.source_id}"
