"""What is said of conversations and messages."""

from rest_framework import serializers

from goals.api.serializers.goals import GoalSerializer
from goals.api.serializers.parts import QuestionSerializer
from goals.models import Conversation, Message


class ConversationSerializer(serializers.ModelSerializer):
    owner = serializers.CharField(source="owner.username", read_only=True)
    messages = serializers.IntegerField(source="last_number", read_only=True)

    class Meta:
        model = Conversation
        fields = ["id", "title", "owner", "messages", "created_at", "updated_at"]
        read_only_fields = fields


class MessageSerializer(serializers.ModelSerializer):
    """One message; `interpreted` says whether the site has made up its mind about a person's message."""

    author = serializers.CharField(source="author.username", read_only=True, allow_null=True, default=None)
    interpreted = serializers.SerializerMethodField()

    class Meta:
        model = Message
        fields = [
            *("id", "number", "role", "content", "author", "goal", "question"),
            *("interpreted", "taken_as", "corrected_at", "created_at"),
        ]
        read_only_fields = fields

    def get_interpreted(self, message: Message) -> bool:
        return message.role != "user" or message.interpreted_at is not None


class ConversationGoalSerializer(serializers.Serializer):
    """What a conversation is about: `goal` is null as long as there is none."""

    conversation = serializers.UUIDField()
    goal = GoalSerializer(allow_null=True)
    questions = QuestionSerializer(many=True)


class ClearedSerializer(serializers.Serializer):
    """Whether there was an unfinished goal that was cancelled."""

    conversation = serializers.UUIDField()
    cleared = serializers.BooleanField()
    goal = serializers.UUIDField(allow_null=True)
