"""What the API says of an artifact."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from artifacts.models import Artifact


class ArtifactSummarySerializer(serializers.ModelSerializer):
    """The record without its value, for lists."""

    class Meta:
        model = Artifact
        fields = [
            "id",
            "context",
            "name",
            "version",
            "type",
            "description",
            "purpose",
            "metadata",
            "trust",
            "storage",
            "media_type",
            "size",
            "shape",
            "blob_sha256",
            "created_at",
        ]
        read_only_fields = fields


class ArtifactSerializer(ArtifactSummarySerializer):
    """The record with its lineage and, when it lies in the row, its value; a blob is fetched from `content/`."""

    value = serializers.SerializerMethodField()
    derived_from = serializers.SerializerMethodField()

    class Meta(ArtifactSummarySerializer.Meta):
        fields = [*ArtifactSummarySerializer.Meta.fields, "value", "derived_from"]
        read_only_fields = fields

    @extend_schema_field({"description": "Any JSON value; null also when the content is a blob (see `storage`)."})
    def get_value(self, artifact):
        return artifact.value

    @extend_schema_field(serializers.ListField(child=serializers.UUIDField()))
    def get_derived_from(self, artifact):
        return [str(source) for source in artifact.derived_from.order_by("id").values_list("id", flat=True)]
