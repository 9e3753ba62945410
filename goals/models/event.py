"""One line of a goal's history: history, live update, audit and notification in one."""

from django.conf import settings
from django.db import models

from goals.models.fields import uuid7_key


class Event(models.Model):
    """A goal's events are 1, 2, 3, …; `digest` is SHA-256 over the previous digest and this event's content."""

    id = uuid7_key()
    goal = models.ForeignKey("goals.Goal", on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=40)
    payload = models.JSONField(default=dict)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField()
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ["goal", "seq"]
        constraints = [models.UniqueConstraint(fields=["goal", "seq"], name="event_numbered_once")]

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"


KINDS = frozenset(
    {
        *(
            f"goal.{kind}"
            for kind in (
                "created planned revised started waiting paused resumed steered completed failed cancelled rearmed "
                "limits_changed iteration"
            ).split()
        ),
        *(f"checkpoint.{kind}" for kind in "started completed failed yielded".split()),
        *(f"subgoal.{kind}" for kind in "expanded started achieved abandoned blocked waiting skipped".split()),
        *(f"question.{kind}" for kind in "asked answered reminded withdrawn".split()),
        *("artifact.created", "model.called", "tool.called", "tool.unknown", "verifier.ran"),
        *("budget.warning", "budget.exceeded", "message.created"),
    }
)
