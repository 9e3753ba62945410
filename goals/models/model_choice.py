"""Which model an operator has chosen for a role, instead of the environment's."""

from django.conf import settings
from django.db import models

from goals.models.fields import choice_field, known_values, uuid7_key
from goals.states import ModelRole


class ModelChoice(models.Model):
    """At most one a role. `tried` is what a call of one token came to, when somebody last tried it."""

    id = uuid7_key()
    role = choice_field(ModelRole, unique=True)
    model = models.CharField(max_length=200)
    note = models.CharField(max_length=500, blank=True, help_text="Why.")
    tried_at = models.DateTimeField(null=True, blank=True)
    tried = models.TextField(blank=True)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["role"]
        constraints = [
            known_values("modelchoice", "role", ModelRole),
            models.CheckConstraint(name="modelchoice_names_a_model", condition=~models.Q(model="")),
        ]

    def __str__(self) -> str:
        return f"{self.role}: {self.model}"
