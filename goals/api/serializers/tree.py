"""The tree of a goal, for the schema; it is made by `goals.api.tree`."""

from rest_framework import serializers


class SubgoalSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    gloss = serializers.CharField()
    predicate = serializers.CharField()
    operation = serializers.CharField()
    decomposition = serializers.CharField()
    depth = serializers.IntegerField()
    position = serializers.IntegerField()
    plan = serializers.IntegerField(help_text="which of its parent's plans it belongs to")
    replans = serializers.IntegerField(help_text="how often its children were planned anew")
    status = serializers.CharField()
    attempts = serializers.IntegerField()
    evidence_key = serializers.CharField()
    depends_on = serializers.ListField(child=serializers.UUIDField())
    wake_at = serializers.DateTimeField(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    failure = serializers.JSONField(allow_null=True)
    children = serializers.ListField(child=serializers.DictField(), help_text="subgoals of the same form")


class TreeCheckpointSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    position = serializers.IntegerField()
    title = serializers.CharField()
    status = serializers.CharField()
    attempts = serializers.IntegerField()
    iteration = serializers.IntegerField()
    root = SubgoalSerializer(allow_null=True)


class TreeSerializer(serializers.Serializer):
    """The checkpoints in order, each with the subgoals of its latest round; `cut` says that there were too many."""

    goal = serializers.UUIDField()
    status = serializers.CharField()
    last_seq = serializers.IntegerField()
    cut = serializers.BooleanField()
    checkpoints = TreeCheckpointSerializer(many=True)
