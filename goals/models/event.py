"""One line of a goal's history: history, live update, audit and notification in one."""

from django.conf import settings
from django.db import models

from goals.models.fields import indexed_key, uuid7_key


class Event(models.Model):
    """A goal's events are 1, 2, 3, …; `digest` is SHA-256 over the previous digest and this event's content."""

    id = uuid7_key()
    goal = indexed_key("goals.Goal", related_name="events")
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
        indexes = [models.Index(fields=["kind"], name="event_by_kind")]

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"


NOUNS = {
    "goal": (
        "created planned revised started waiting paused resumed steered completed failed cancelled rearmed "
        "limits_changed verifier_changed policy_changed watch_changed iteration shared unshared reassigned"
    ),
    "checkpoint": "started completed failed yielded skipped retried edited",
    "subgoal": "expanded started achieved abandoned blocked waiting skipped edited",
    "question": "asked answered reminded withdrawn",
    "artifact": "created",
    "model": "called",
    "tool": "called unknown",
    "verifier": "ran",
    "budget": "warning exceeded",
    "message": "created",
    "watch": "fired stalled",
    "webhook": "disabled",
}
KINDS = frozenset(f"{noun}.{verb}" for noun, verbs in NOUNS.items() for verb in verbs.split())
