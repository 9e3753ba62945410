"""What is said of a share of a goal: never a link's token, but once."""

from rest_framework import serializers

from goals.models import Share


class ShareSerializer(serializers.ModelSerializer):
    """`person` sees the goal; null: whoever has the link."""

    person = serializers.CharField(source="viewer.username", read_only=True, allow_null=True, default=None)

    class Meta:
        model = Share
        fields = ["id", "person", "created_at", "expires_at"]


class MadeShareSerializer(ShareSerializer):
    """With its address: null where the making of a link is repeated under its Idempotency-Key."""

    url = serializers.URLField(read_only=True, allow_null=True)

    class Meta(ShareSerializer.Meta):
        fields = [*ShareSerializer.Meta.fields, "url"]
