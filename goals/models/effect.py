"""Calls to the outside, written down before and after: the trace and the journal."""

from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint

from goals.models.fields import choice_field, indexed_key, known_values, uuid7_key
from goals.states import EffectClass, EffectStatus


class Effect(models.Model):
    """`key` is the idempotency key: what is asked for, under which subgoal and attempt, and which try it is.

    `scope` and `key` are SHA-256 hex digests; `scope` is the same for every try, `key` differs by try.
    """

    id = uuid7_key()
    goal = indexed_key("goals.Goal", null=True, blank=True)
    checkpoint = models.ForeignKey("goals.Checkpoint", on_delete=models.CASCADE, null=True, blank=True)
    subgoal = indexed_key("goals.Subgoal", null=True, blank=True)
    attempt = models.PositiveIntegerField(default=1)
    effect_class = choice_field(EffectClass)
    scope = models.CharField(max_length=64)
    key = models.CharField(max_length=80)
    status = choice_field(EffectStatus, default=EffectStatus.INTENDED)
    epoch = models.PositiveBigIntegerField(default=0)
    request = models.JSONField(default=dict)
    response = models.JSONField(null=True, blank=True)
    error = models.TextField(blank=True)
    reserved = models.JSONField(default=dict, blank=True)
    cost_usd = models.DecimalField(max_digits=20, decimal_places=6, default=0)
    seconds = models.FloatField(default=0)
    late = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ["-created_at"]

    @property
    def is_settled(self) -> bool:
        return self.status in {EffectStatus.SUCCEEDED, EffectStatus.FAILED}


def _effect_constraints(table: str) -> list:
    settled = [EffectStatus.SUCCEEDED, EffectStatus.FAILED]
    return [
        UniqueConstraint(name=f"{table}_key_once", fields=["key"]),
        known_values(table, "status", EffectStatus),
        known_values(table, "effect_class", EffectClass),
        CheckConstraint(
            name=f"{table}_finished_when_settled",
            condition=Q(status__in=settled, finished_at__isnull=False)
            | (~Q(status__in=settled) & Q(finished_at__isnull=True)),
        ),
    ]


def _effect_indexes(table: str) -> list:
    open_statuses = [EffectStatus.INTENDED, EffectStatus.UNKNOWN]
    return [
        models.Index(fields=["scope"], name=f"{table}_journal"),
        models.Index(fields=["subgoal", "created_at"], name=f"{table}_of_subgoal"),
        models.Index(fields=["goal", "created_at"], name=f"{table}_of_goal"),
        models.Index(fields=["goal"], name=f"{table}_unsettled", condition=Q(status__in=open_statuses)),
    ]


class ModelCall(Effect):
    """One call to the model endpoint. A reply that was recorded is never paid for again."""

    conversation = models.ForeignKey(
        "goals.Conversation", on_delete=models.CASCADE, null=True, blank=True, related_name="model_calls"
    )
    purpose = models.CharField(max_length=40)
    role = models.CharField(max_length=20)
    model = models.CharField(max_length=200)
    prompt_hash = models.CharField(max_length=64, blank=True)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    price = models.JSONField(
        null=True, blank=True, help_text="The price in force when it was begun; null where none was known."
    )

    class Meta(Effect.Meta):
        constraints = [
            *_effect_constraints("modelcall"),
            CheckConstraint(name="modelcall_belongs", condition=Q(goal__isnull=False) | Q(conversation__isnull=False)),
        ]
        indexes = _effect_indexes("modelcall")

    def __str__(self) -> str:
        return f"{self.purpose} on {self.model}: {self.status}"


class ToolCall(Effect):
    """One use of a tool, or one run of a verifier's command (`tool` is then `verifier`)."""

    conversation = models.ForeignKey(
        "goals.Conversation", on_delete=models.CASCADE, null=True, blank=True, related_name="tool_calls"
    )
    tool = models.CharField(max_length=100)
    model_call = models.ForeignKey(
        ModelCall, on_delete=models.SET_NULL, null=True, blank=True, related_name="tool_calls"
    )
    call_id = models.CharField(max_length=200, blank=True)
    summary = models.TextField(blank=True)
    untrusted = models.BooleanField(default=False)

    class Meta(Effect.Meta):
        constraints = [
            *_effect_constraints("toolcall"),
            CheckConstraint(name="toolcall_belongs", condition=Q(goal__isnull=False) | Q(conversation__isnull=False)),
        ]
        indexes = [
            *_effect_indexes("toolcall"),
            models.Index(fields=["goal"], name="toolcall_untrusted_of_goal", condition=Q(untrusted=True)),
            models.Index(
                fields=["goal", "tool"],
                name="toolcall_outside_of_goal",
                condition=Q(effect_class=EffectClass.EXTERNAL),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tool}: {self.status}"
