"""A sum of the site's figures: what `/metrics` tells without reading history."""

from django.db import models


class Tally(models.Model):
    """One series: `labels` is a JSON list of [name, value] pairs. Many processes add to it; nobody sets it."""

    name = models.CharField(max_length=80)
    labels = models.TextField()
    value = models.FloatField(default=0)

    class Meta:
        ordering = ["name", "labels"]
        constraints = [models.UniqueConstraint(fields=["name", "labels"], name="tally_series_once")]

    def __str__(self) -> str:
        return f"{self.name} {self.labels}: {self.value}"
