"""Which model each role uses and what it costs: an operator's rows win, the environment is the default.

Rows win because they are the later word of somebody who looks at the running site; taking a row away gives the
environment back. While the rehearsal model answers they say nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.conf import settings

from goals.lately import Lately
from goals.llm import prices
from goals.llm.prices import Price
from goals.models import ModelChoice, ModelPrice


@dataclass(frozen=True)
class Rows:
    """What operators have set: models by role, prices by model."""

    models: Mapping[str, str] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)


def _read() -> Rows:
    stated: dict[str, Price] = {}
    for row in ModelPrice.objects.in_force():
        stated.setdefault(row.model, row.price)
    return Rows(dict(ModelChoice.objects.values_list("role", "model")), stated)


rows = Lately(_read)


def model_of(role: str) -> str:
    """Return the model in force for a role."""
    return settings.GOALSITE_MODELS[role] if settings.GOALSITE_REHEARSAL else models()[role]


def models() -> dict[str, str]:
    """Return the model in force by role."""
    chosen = {} if settings.GOALSITE_REHEARSAL else rows.get().models
    return {role: chosen.get(role, model) for role, model in settings.GOALSITE_MODELS.items()}


def price_of(model: str) -> Price | None:
    """Return the price in force for a model; None where nobody knows one."""
    return prices.price_of(model, rows.get().prices.get(model))
