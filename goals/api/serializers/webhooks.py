"""What is sent and said of webhooks and their deliveries: never a secret, but where it is made."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from goals.api.fields import GivenText, GivenWords, Input
from goals.models import Delivery, Webhook
from goals.webhooks.acts import KNOWN, LONGEST_NAME


@extend_schema_field({"type": "array", "items": {"type": "string", "enum": sorted(KNOWN)}})
class GivenKinds(GivenText):
    """Kinds of events; the service checks them."""


@extend_schema_field({"type": "string", "maxLength": LONGEST_NAME})
class GivenName(GivenText):
    """A line; the service checks it."""


class ChangedWebhookInput(Input):
    """What is changed of a webhook."""

    name = GivenName(required=False)
    address = GivenWords(required=False, help_text="https://…, or http://; no account in it")
    kinds = GivenKinds(required=False, help_text="goal.completed, or question.* (all of a noun); none: every kind")
    goal = serializers.UUIDField(required=False, allow_null=True, help_text="the only goal it is told of; null: all")
    site_wide = serializers.BooleanField(required=False, help_text="everybody's goals; needs goals.operate")
    active = serializers.BooleanField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs:
            raise serializers.ValidationError({"body": f"must name what is to change: {', '.join(self.fields)}"})
        return attrs


class WebhookInput(ChangedWebhookInput):
    """A new webhook."""

    address = GivenWords(help_text="https://…, or http://; no account in it")


class WebhookSerializer(serializers.ModelSerializer):
    """A webhook as it stands; `failing_since` is when a call failed first after the last that got through."""

    owner = serializers.CharField(source="owner.username", read_only=True)

    class Meta:
        model = Webhook
        fields = [
            "id",
            "name",
            "owner",
            "address",
            "kinds",
            "goal",
            "site_wide",
            "active",
            "failing_since",
            "disabled_because",
            "created_at",
        ]
        read_only_fields = fields


class SecretWebhookSerializer(WebhookSerializer):
    """With its secret, which is told this once: null where a request is repeated under its Idempotency-Key."""

    secret = serializers.CharField(read_only=True, allow_null=True)

    class Meta(WebhookSerializer.Meta):
        fields = [*WebhookSerializer.Meta.fields, "secret"]
        read_only_fields = fields


class DeliverySerializer(serializers.ModelSerializer):
    """One event on its way: `due_at` is when it is tried next, `status_code` what was answered last."""

    class Meta:
        model = Delivery
        fields = [
            "id",
            "kind",
            "goal",
            "seq",
            "status",
            "attempts",
            "status_code",
            "error",
            "created_at",
            "due_at",
            "tried_at",
            "delivered_at",
        ]
        read_only_fields = fields
