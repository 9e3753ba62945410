"""A file that a person gave: kept as a blob by its SHA-256, and made an artifact of the goals that it concerns."""

from django.conf import settings
from django.db import models

from goals.models.fields import uuid7_key


class Attachment(models.Model):
    """`message` is null until it is sent; then it stays with that message."""

    id = uuid7_key()
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="attachments")
    message = models.ForeignKey(
        "goals.Message", on_delete=models.CASCADE, null=True, blank=True, related_name="attachments"
    )
    name = models.CharField(max_length=120)
    media_type = models.CharField(max_length=100)
    size = models.PositiveBigIntegerField()
    blob_sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created_at"]
        indexes = [
            models.Index(
                fields=["owner", "created_at"], name="attachment_unsent", condition=models.Q(message__isnull=True)
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_picture(self) -> bool:
        """Whether a browser may show it as a picture."""
        return self.media_type in {"image/png", "image/jpeg", "image/gif", "image/webp"}
