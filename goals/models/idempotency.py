"""What was answered to a POST with an `Idempotency-Key`, so that sending it again does nothing again."""

from datetime import timedelta

from django.conf import settings
from django.db import models

from goals.models.fields import uuid7_key

KEPT = timedelta(days=1)


class IdempotentRequest(models.Model):
    """Written in the transaction of what it did: a row that can be seen has its answer.

    `digest` is SHA-256 over method, path and body; `status`, `body` and `version` are the answer that was given.
    """

    id = uuid7_key()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    body = models.JSONField(null=True, blank=True)
    version = models.PositiveBigIntegerField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at"]
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="idempotency_key_once")]
        indexes = [models.Index(fields=["user", "created_at"], name="idempotency_to_forget")]

    def __str__(self) -> str:
        return f"{self.key[:40]}: {self.status}"
