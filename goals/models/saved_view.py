"""A list of goals as somebody has narrowed it, under a name."""

from django.conf import settings
from django.db import models

from goals.models.fields import uuid7_key


class SavedViewQuerySet(models.QuerySet["SavedView"]):
    def offered_to(self, user) -> "SavedViewQuerySet":
        """Return a person's own, and those that others share. A view shows each what that person may see."""
        return self.filter(models.Q(owner=user) | models.Q(is_shared=True))


class SavedView(models.Model):
    """`query` is what stands behind the `?` of the list's address."""

    id = uuid7_key()
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views", db_index=False
    )
    name = models.CharField(max_length=60)
    query = models.TextField()
    is_shared = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SavedViewQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="saved_view_named_once")]
        indexes = [models.Index(fields=["name"], name="saved_view_shared", condition=models.Q(is_shared=True))]

    def __str__(self) -> str:
        return self.name
