"""One run of a verifier: the only thing that completes a checkpoint or a goal."""

from django.db import models
from django.db.models import CheckConstraint, Q

from goals.models.fields import indexed_key, uuid7_key


class Verification(models.Model):
    """`digest` is the SHA-256 of the verifier's spec as it ran; `error` is set when the verifier itself is broken."""

    id = uuid7_key()
    goal = indexed_key("goals.Goal", related_name="verifications")
    checkpoint = models.ForeignKey(
        "goals.Checkpoint", on_delete=models.CASCADE, null=True, blank=True, related_name="verifications"
    )
    verifier = models.JSONField()
    digest = models.CharField(max_length=64)
    iteration = models.PositiveIntegerField(default=1)
    attempt = models.PositiveIntegerField(default=1)
    met = models.BooleanField()
    error = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    evidence = models.TextField(blank=True)
    fingerprint = models.CharField(max_length=64, blank=True)
    score = models.FloatField(null=True, blank=True)
    seconds = models.FloatField(default=0)
    cost_usd = models.DecimalField(max_digits=20, decimal_places=6, default=0)
    details = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            CheckConstraint(name="verification_broken_is_not_met", condition=Q(met=False) | Q(error="")),
        ]
        indexes = [models.Index(fields=["goal", "-created_at"], name="verification_of_goal")]

    def __str__(self) -> str:
        return f"{'met' if self.met else 'not met'}: {self.reason[:60]}"
