"""What is said of a goal."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from goals.models import Checkpoint, Goal, Watch
from goals.services import budget_of
from goals.watch_wishes import RULE


class LineSerializer(serializers.Serializer):
    """One resource: limit null means none."""

    limit = serializers.FloatField(allow_null=True)
    used = serializers.FloatField()
    reserved = serializers.FloatField()


class BudgetSerializer(serializers.Serializer):
    model_calls = LineSerializer()
    tokens = LineSerializer()
    cost_usd = LineSerializer()
    seconds = LineSerializer()


class ProgressSerializer(serializers.Serializer):
    checkpoints = serializers.IntegerField()
    completed = serializers.IntegerField()


class GoalSummarySerializer(serializers.ModelSerializer):
    """One line of a list; the queryset brings the counts (`goals.api.counts`)."""

    owner = serializers.CharField(source="owner.username", read_only=True)
    sop = serializers.CharField(source="sop_slug", read_only=True)
    progress = serializers.SerializerMethodField()
    open_questions = serializers.IntegerField(read_only=True)
    last_seq = serializers.IntegerField(source="seq", read_only=True)

    class Meta:
        model = Goal
        fields = [
            "id",
            "objective",
            "mode",
            "status",
            "outcome",
            "reason",
            "paused_for",
            "waits_for",
            "wake_at",
            "owner",
            "conversation",
            "sop",
            "iteration",
            "progress",
            "open_questions",
            "last_seq",
            "created_at",
            "started_at",
            "finished_at",
        ]
        read_only_fields = fields

    @extend_schema_field(ProgressSerializer)
    def get_progress(self, goal: Goal) -> dict[str, int]:
        return {"checkpoints": goal.checkpoint_count, "completed": goal.completed_count}  # type: ignore[attr-defined]


class GoalSummariesSerializer(serializers.Serializer):
    """Several goals, in the order in which they were given."""

    results = GoalSummarySerializer(many=True)


class CheckpointSerializer(serializers.ModelSerializer):
    class Meta:
        model = Checkpoint
        fields = [
            "id",
            "position",
            "title",
            "description",
            "success_criteria",
            "predicate",
            "evidence_key",
            "status",
            "verdict",
            "attempts",
            "iteration",
            "result_summary",
            "failure",
            "started_at",
            "finished_at",
        ]
        read_only_fields = fields


class WatchSerializer(serializers.ModelSerializer):
    """How a goal in monitor mode watches. A look that sees nothing new writes no event: what it saw stands here."""

    class Meta:
        model = Watch
        fields = [*RULE, "looks", "looked_at", "verdict", "reason", "stalled", "fired", "fired_at"]
        read_only_fields = fields


class GoalSerializer(GoalSummarySerializer):
    """A goal in full, without its history: that is under events, tree and the calls."""

    budget = serializers.SerializerMethodField()
    checkpoints = CheckpointSerializer(many=True, read_only=True)
    watch = WatchSerializer(read_only=True, allow_null=True, default=None)

    class Meta(GoalSummarySerializer.Meta):
        fields = [
            *GoalSummarySerializer.Meta.fields,
            "context",
            "constraints",
            "verifier",
            "verifier_digest",
            "verdict",
            "verdict_reason",
            "failure",
            "steering",
            "summary",
            "plan_notes",
            "revision",
            "attempt",
            "workspace",
            "forked_from",
            "budget",
            "checkpoints",
            "watch",
        ]
        read_only_fields = fields

    @extend_schema_field(BudgetSerializer)
    def get_budget(self, goal: Goal) -> dict[str, Any]:
        return budget_of(goal)
