"""What a goal may use: one row for each resource, guarded by a CHECK."""

from django.db import models
from django.db.models import CheckConstraint, F, Q

from goals.models.fields import choice_field, indexed_key, known_values, uuid7_key
from goals.states import Resource


class Budget(models.Model):
    """`limit` null: no limit. Reserved before use; `used + reserved <= limit` at any concurrency."""

    id = uuid7_key()
    goal = indexed_key("goals.Goal", related_name="budgets")
    resource = choice_field(Resource)
    limit = models.DecimalField(max_digits=20, decimal_places=6, null=True, blank=True)
    used = models.DecimalField(max_digits=20, decimal_places=6, default=0)
    reserved = models.DecimalField(max_digits=20, decimal_places=6, default=0)

    class Meta:
        ordering = ["goal", "resource"]
        constraints = [
            models.UniqueConstraint(fields=["goal", "resource"], name="budget_row_once"),
            known_values("budget", "resource", Resource),
            CheckConstraint(name="budget_not_negative", condition=Q(used__gte=0, reserved__gte=0)),
            CheckConstraint(
                name="budget_never_exceeded", condition=Q(limit__isnull=True) | Q(limit__gte=F("used") + F("reserved"))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.resource}: {self.used} of {self.limit if self.limit is not None else 'no limit'}"
