"""What is said of the parts of a goal: events, questions, calls, verifications."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from goals.answers import RECOVERIES
from goals.models import ModelCall, ProgressScore, Question, ToolCall, Verification
from goals.states import QuestionKind

EFFECT = ["id", "checkpoint", "subgoal", "attempt", "effect_class", "status", "error", "late", "cost_usd", "seconds"]
TIMES = ["created_at", "finished_at"]
CONTENT = ["request", "response"]
ALLOWED = {
    QuestionKind.CONFIRMATION: ["yes", "no"],
    QuestionKind.APPROVAL: ["yes", "no"],
    QuestionKind.RECOVERY: list(RECOVERIES),
}


class EventSerializer(serializers.Serializer):
    """An event as it goes over the socket."""

    type = serializers.CharField()
    goal = serializers.UUIDField()
    seq = serializers.IntegerField()
    kind = serializers.CharField()
    payload = serializers.JSONField()
    at = serializers.DateTimeField()
    actor = serializers.CharField(allow_null=True, help_text="Who did it; null where no person did.")


class EventsSerializer(serializers.Serializer):
    """Events after a number, oldest first; `more` says that another page follows `results[-1].seq`."""

    last_seq = serializers.IntegerField()
    more = serializers.BooleanField()
    results = EventSerializer(many=True)


class QuestionSerializer(serializers.ModelSerializer):
    """A question; `allowed` are the only answers that are understood, where there is such a list."""

    allowed = serializers.SerializerMethodField()
    answered_by = serializers.CharField(source="answered_by.username", read_only=True, allow_null=True, default=None)

    class Meta:
        model = Question
        fields = [
            "id",
            "goal",
            "subgoal",
            "kind",
            "key",
            "prompt",
            "suggestions",
            "schema",
            "details",
            "allowed",
            "status",
            "answer",
            "answered_by",
            "channel",
            "created_at",
            "reminded_at",
            "closed_at",
        ]
        read_only_fields = fields

    @extend_schema_field({"type": "array", "items": {"type": "string"}, "nullable": True})
    def get_allowed(self, question: Question) -> list[str] | None:
        return None if question.is_plan else ALLOWED.get(QuestionKind(question.kind))


class ModelCallSerializer(serializers.ModelSerializer):
    class Meta:
        model = ModelCall
        fields = [*EFFECT, "purpose", "role", "model", "prompt_hash", "input_tokens", "output_tokens", "price", *TIMES]
        read_only_fields = fields


class FullModelCallSerializer(ModelCallSerializer):
    """With what was asked and what was answered (`?full=true`)."""

    request = serializers.JSONField(required=False)
    response = serializers.JSONField(required=False, allow_null=True)

    class Meta(ModelCallSerializer.Meta):
        fields = [*ModelCallSerializer.Meta.fields, *CONTENT]
        read_only_fields = fields


class ToolCallSerializer(serializers.ModelSerializer):
    class Meta:
        model = ToolCall
        fields = [*EFFECT, "tool", "model_call", "summary", "untrusted", *TIMES]
        read_only_fields = fields


class FullToolCallSerializer(ToolCallSerializer):
    """With arguments and result (`?full=true`)."""

    request = serializers.JSONField(required=False)
    response = serializers.JSONField(required=False, allow_null=True)

    class Meta(ToolCallSerializer.Meta):
        fields = [*ToolCallSerializer.Meta.fields, *CONTENT]
        read_only_fields = fields


class VerificationSerializer(serializers.ModelSerializer):
    class Meta:
        model = Verification
        fields = [
            "id",
            "checkpoint",
            "verifier",
            "digest",
            "iteration",
            "attempt",
            "met",
            "error",
            "reason",
            "evidence",
            "fingerprint",
            "score",
            "seconds",
            "cost_usd",
            "details",
            "created_at",
        ]
        read_only_fields = fields


class ProgressScoreSerializer(serializers.ModelSerializer):
    """One point of the curve: how much is reached, at what cost so far."""

    class Meta:
        model = ProgressScore
        fields = ["id", "position", "score", "on_track", "revise", "reasoning", "cost_usd", "tokens", "at"]
        read_only_fields = fields
