"""One rule of the tool policy: what an operator says of using a tool, or all tools of a risk."""

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint

from goals.models.fields import choice_field, known_values, uuid7_key
from goals.states import Permission, Risk
from goals.tool_rules import Rule


class ToolRule(models.Model):
    """For one `tool` or one `risk`; of one goal, or of the whole site. Which one wins: `goals/tool_rules.py`."""

    id = uuid7_key()
    goal = models.ForeignKey(
        "goals.Goal",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="tool_rules",
        help_text="Empty: for all goals. A goal's rule holds for the goals that it makes, too.",
    )
    tool = models.CharField(max_length=100, blank=True)
    risk = choice_field(Risk, blank=True, default="")
    permission = choice_field(Permission)
    note = models.CharField(max_length=500, blank=True, help_text="Why.")
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["goal", "tool", "risk"]
        permissions = [("configure", "Can set the tool policy, the models and their prices")]
        constraints = [
            known_values("toolrule", "permission", Permission),
            known_values("toolrule", "risk", Risk, blank=True),
            CheckConstraint(
                name="toolrule_for_a_tool_or_a_risk",
                condition=Q(tool="") & ~Q(risk="") | ~Q(tool="") & Q(risk=""),
            ),
            UniqueConstraint(name="toolrule_once_for_all", fields=["tool", "risk"], condition=Q(goal__isnull=True)),
            UniqueConstraint(name="toolrule_once_for_a_goal", fields=["goal", "tool", "risk"]),
        ]

    def __str__(self) -> str:
        return f"{self.tool or f'{self.risk} tools'}: {self.permission}"

    @property
    def rule(self) -> Rule:
        """The row as the policy sees it."""
        return Rule(Permission(self.permission), self.tool, self.risk, self.goal_id)
