"""What only a person can answer."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Q

from goals.models.fields import choice_field, known_values, uuid7_key
from goals.states import QuestionKind, QuestionStatus

PLAN = "plan"  # the key of a question that asks for the approval of a plan


def is_of_file(schema: Any) -> bool:
    """Whether a schema asks for a file: a text that is binary, or of a media type."""
    if not isinstance(schema, dict) or schema.get("type") != "string":
        return False
    return schema.get("format") == "binary" or "contentMediaType" in schema


class QuestionQuerySet(models.QuerySet["Question"]):
    def open(self) -> "QuestionQuerySet":
        return self.filter(status=QuestionStatus.OPEN)

    def about_plans_of(self, goal) -> "QuestionQuerySet":
        """Those that ask for the approval of a plan of this goal."""
        return self.filter(goal=goal, kind=QuestionKind.APPROVAL, key=PLAN, subgoal=None)

    def visible_to(self, user) -> "QuestionQuerySet":
        if user.has_perm("goals.operate"):
            return self.all()
        return self.filter(goal__owner_id=user.pk)


class Question(models.Model):
    """The first answer wins, from any channel. `digest` binds an approval to tool, arguments and revision."""

    id = uuid7_key()
    goal = models.ForeignKey("goals.Goal", on_delete=models.CASCADE, related_name="questions")
    subgoal = models.ForeignKey(
        "goals.Subgoal", on_delete=models.CASCADE, null=True, blank=True, related_name="questions"
    )
    tool_call = models.ForeignKey(
        "goals.ToolCall", on_delete=models.CASCADE, null=True, blank=True, related_name="questions"
    )
    kind = choice_field(QuestionKind)
    key = models.CharField(max_length=100, blank=True)
    prompt = models.TextField()
    suggestions = models.JSONField(default=list, blank=True)
    schema = models.JSONField(null=True, blank=True)
    details = models.JSONField(null=True, blank=True)
    digest = models.CharField(max_length=64, blank=True)
    status = choice_field(QuestionStatus, default=QuestionStatus.OPEN)
    answer = models.JSONField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    channel = models.CharField(max_length=20, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    reminded_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = QuestionQuerySet.as_manager()

    class Meta:
        ordering = ["created_at"]
        constraints = [
            known_values("question", "kind", QuestionKind),
            known_values("question", "status", QuestionStatus),
            models.UniqueConstraint(
                fields=["subgoal"], condition=Q(status=QuestionStatus.OPEN), name="question_one_open_per_subgoal"
            ),
            models.UniqueConstraint(
                fields=["goal"],
                condition=Q(status=QuestionStatus.OPEN, kind=QuestionKind.APPROVAL, key=PLAN, subgoal=None),
                name="question_one_open_plan",
            ),
            CheckConstraint(
                name="question_closed_when_not_open",
                condition=Q(status=QuestionStatus.OPEN, closed_at__isnull=True)
                | (~Q(status=QuestionStatus.OPEN) & Q(closed_at__isnull=False)),
            ),
        ]
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="question_by_time"),
            models.Index(fields=["goal", "created_at"], name="question_tray", condition=Q(status=QuestionStatus.OPEN)),
            models.Index(fields=["created_at"], name="question_queue", condition=Q(status=QuestionStatus.OPEN)),
        ]

    def __str__(self) -> str:
        return self.prompt[:80]

    @property
    def must_be_answered(self) -> bool:
        """Whether a goal does not go on waiting for it for ever: what is at stake is not the person's to forget."""
        return self.kind in {QuestionKind.APPROVAL, QuestionKind.RECOVERY}

    @property
    def is_plan(self) -> bool:
        """Whether it asks for the approval of a plan; its details hold the plans to choose from."""
        return self.kind == QuestionKind.APPROVAL and self.key == PLAN and self.subgoal_id is None

    @property
    def wants_file(self) -> bool:
        return is_of_file(self.schema)
