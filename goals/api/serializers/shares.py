"""What is said of a link to a goal: never its token, but once."""

from rest_framework import serializers

from goals.models import Share


class ShareSerializer(serializers.ModelSerializer):
    class Meta:
        model = Share
        fields = ["id", "created_at", "expires_at"]


class MadeShareSerializer(ShareSerializer):
    url = serializers.URLField(read_only=True)

    class Meta(ShareSerializer.Meta):
        fields = [*ShareSerializer.Meta.fields, "url"]
