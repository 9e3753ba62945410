"""One evaluation of a goal's progress, with what had been spent by then: a point that can be plotted."""

from django.db import models
from django.db.models import CheckConstraint, Q

from goals.models.fields import indexed_key, uuid7_key


class ProgressScore(models.Model):
    """`position` is that of the checkpoint completed last; `cost_usd` and `tokens` are the goal's totals so far."""

    id = uuid7_key()
    goal = indexed_key("goals.Goal", related_name="progress_scores")
    position = models.PositiveIntegerField(null=True, blank=True)
    score = models.FloatField()
    on_track = models.BooleanField()
    revise = models.BooleanField()
    reasoning = models.TextField(blank=True)
    cost_usd = models.DecimalField(max_digits=20, decimal_places=6)
    tokens = models.PositiveBigIntegerField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["goal", "at"]
        constraints = [
            CheckConstraint(name="progressscore_in_range", condition=Q(score__gte=0, score__lte=1)),
            CheckConstraint(name="progressscore_cost_not_negative", condition=Q(cost_usd__gte=0)),
        ]
        indexes = [models.Index(fields=["goal", "at"], name="progressscore_of_goal")]

    def __str__(self) -> str:
        return f"{self.score:.2f} after ${self.cost_usd:.4f}"
