"""What an operator says a model costs, from a time on."""

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, F, Q
from django.db.models.functions import Now
from django.utils import timezone

from goals.llm.prices import Price, PriceSource
from goals.models.fields import uuid7_key


class ModelPriceQuerySet(models.QuerySet["ModelPrice"]):
    def in_force(self) -> "ModelPriceQuerySet":
        """Return the prices that count now, of each model the one first that began last."""
        begun = self.filter(Q(valid_until=None) | Q(valid_until__gt=Now()), valid_from__lte=Now())
        return begun.order_by("model", "-valid_from")


def _usd(**options) -> models.DecimalField:
    return models.DecimalField(max_digits=12, decimal_places=6, **options)


class ModelPrice(models.Model):
    """USD per million tokens. Never changed once it has begun: another one follows it, or it is ended."""

    id = uuid7_key()
    model = models.CharField(max_length=200)
    input_usd = _usd(help_text="USD per million tokens of input.")
    output_usd = _usd(help_text="USD per million tokens of output.")
    cached_usd = _usd(null=True, blank=True, help_text="USD per million tokens of cached input; empty: as other input.")
    valid_from = models.DateTimeField(default=timezone.now)
    valid_until = models.DateTimeField(null=True, blank=True)
    note = models.CharField(max_length=500, blank=True, help_text="Where it is stated.")
    stated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ModelPriceQuerySet.as_manager()

    class Meta:
        ordering = ["model", "-valid_from"]
        constraints = [
            models.UniqueConstraint(name="modelprice_one_at_a_time", fields=["model", "valid_from"]),
            CheckConstraint(name="modelprice_names_a_model", condition=~Q(model="")),
            CheckConstraint(
                name="modelprice_not_negative",
                condition=Q(input_usd__gte=0, output_usd__gte=0) & (Q(cached_usd__isnull=True) | Q(cached_usd__gte=0)),
            ),
            CheckConstraint(
                name="modelprice_ends_after_it_began",
                condition=Q(valid_until__isnull=True) | Q(valid_until__gte=F("valid_from")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model}: {self.price.in_words}"

    @property
    def price(self) -> Price:
        """The row as calls use it."""
        return Price(PriceSource.ROW, str(self.pk), self.input_usd, self.output_usd, self.cached_usd)
