"""A conversation and its messages. Conversation and artifacts are separate things."""

from django.conf import settings
from django.db import models

from goals.models.fields import choice_field, known_values, uuid7_key


class Role(models.TextChoices):
    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"


class Taken(models.TextChoices):
    """What the site took a person's message for."""

    GOAL = "goal", "a new goal"
    ANSWER = "answer", "an answer"
    STEERING = "steering", "steering"
    STOP = "stop", "a wish to stop"
    TALK = "talk", "just talk"
    COMMAND = "command", "a command"


class Conversation(models.Model):
    """What one person and the site say to each other."""

    id = uuid7_key()
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversations")
    title = models.CharField(max_length=200, blank=True)
    last_number = models.PositiveIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated_at"]
        indexes = [models.Index(fields=["owner", "-updated_at"], name="conversation_list")]

    def __str__(self) -> str:
        return self.title or f"conversation {self.pk}"


class Message(models.Model):
    """One message; numbers run 1, 2, 3, … within the conversation.

    A person's message is interpreted once: `claims` counts the tries and fences off a late one, `claimed_until` is the
    lease of the try in hand, and `failure` says why the last try came to nothing. `taken_as` says what it was taken
    for, `goal` and `question` with which of them it then had to do, and `corrected_at` when its author said otherwise.
    """

    id = uuid7_key()
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="messages")
    number = models.PositiveIntegerField()
    role = choice_field(Role)
    content = models.TextField()
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    goal = models.ForeignKey("goals.Goal", on_delete=models.SET_NULL, null=True, blank=True, related_name="messages")
    question = models.ForeignKey(
        "goals.Question", on_delete=models.SET_NULL, null=True, blank=True, related_name="messages"
    )
    interpreted_at = models.DateTimeField(null=True, blank=True)
    claims = models.PositiveIntegerField(default=0, editable=False)
    claimed_until = models.DateTimeField(null=True, blank=True, editable=False)
    failure = models.TextField(blank=True)
    taken_as = choice_field(Taken, blank=True, default="")
    corrected_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["conversation", "number"]
        constraints = [
            models.UniqueConstraint(fields=["conversation", "number"], name="message_numbered_once"),
            known_values("message", "role", Role),
            known_values("message", "taken_as", Taken, blank=True),
        ]
        indexes = [
            models.Index(
                fields=["created_at"],
                name="message_to_interpret",
                condition=models.Q(role="user", interpreted_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.number}: {self.content[:60]}"
