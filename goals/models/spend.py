"""What the calls of one hour cost, by model, procedure and owner: what the dashboard sums up instead of calls."""

from django.conf import settings
from django.db import models


class Spend(models.Model):
    """Workers add to it; nobody sets it. `sop` is a slug, empty where no procedure was followed."""

    hour = models.DateTimeField()
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    model = models.CharField(max_length=200)
    sop = models.CharField(max_length=100, blank=True)
    usd = models.DecimalField(max_digits=20, decimal_places=6, default=0)
    calls = models.PositiveBigIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ["-hour"]
        verbose_name_plural = "spend"
        constraints = [models.UniqueConstraint(fields=["hour", "owner", "model", "sop"], name="spend_line_once")]

    def __str__(self) -> str:
        return f"{self.hour:%Y-%m-%d %H}:00 UTC, {self.model}: {self.usd} USD"
