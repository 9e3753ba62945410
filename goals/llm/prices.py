"""What a model call costs in USD: what an operator stated for the model, else for all, else a maintained table.

The rehearsal model is free. Unknown is None, never zero; `require` refuses it for a goal with a cost limit. A price is
a value that is kept with the call, so that a change of prices rewrites no history.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from goals.llm.bounds import upper_bound
from goals.llm.errors import UnknownPrice
from goals.llm.transport import LOOPBACK

__all__ = ["Price", "PriceSource", "cost_of", "in_table", "price_of", "recorded", "require", "upper_bound"]

MILLION = Decimal(1_000_000)


class PriceSource(StrEnum):
    """Where a price comes from: an operator's row, the environment, the table, or none is taken in rehearsal."""

    ROW = "row"
    ENVIRONMENT = "environment"
    TABLE = "table"
    REHEARSAL = "rehearsal"


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens. `entry` is the row's id, or the name under which the table knows the model.

    The table has rates of many kinds (tiers, times); its price is looked up for each call.
    """

    source: PriceSource
    entry: str = ""
    input: Decimal | None = None
    output: Decimal | None = None
    cached: Decimal | None = None

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> Decimal:
        """USD for these tokens; `cached_tokens` are among the input tokens."""
        cached_tokens = min(cached_tokens, input_tokens)
        if self.source is PriceSource.TABLE:
            found = in_table(self.entry, input_tokens, output_tokens, cached_tokens)
            return found.total_price if found else Decimal(0)
        price_in, price_out = self.input or Decimal(0), self.output or Decimal(0)
        price_cached = price_in if self.cached is None else self.cached
        fresh = input_tokens - cached_tokens
        return (price_in * fresh + price_cached * cached_tokens + price_out * output_tokens) / MILLION

    @property
    def record(self) -> dict[str, Any]:
        """JSON to keep with a call; `recorded` gives an equal value back."""
        rates = {"input": self.input, "output": self.output, "cached": self.cached}
        told = {name: str(rate) for name, rate in rates.items() if rate is not None}
        table = {"table": f"genai-prices {version('genai-prices')}"} if self.source is PriceSource.TABLE else {}
        return {"source": self.source.value, **({"entry": self.entry} if self.entry else {}), **told, **table}

    @property
    def in_words(self) -> str:
        if self.source is PriceSource.TABLE:
            found = in_table(self.entry)
            return f"{found.provider.name}'s for {found.model.id}" if found else self.entry
        if self.source is PriceSource.REHEARSAL:
            return "free"
        cached = "" if self.cached is None else f" (cached {self.cached.normalize():f})"
        return f"{(self.input or Decimal(0)).normalize():f}{cached} in, {(self.output or Decimal(0)).normalize():f} out"


def price_of(model: str, stated: Price | None = None) -> Price | None:
    """The price in force for a model, of which an operator's row has `stated` this; None where nobody knows one."""
    if settings.GOALSITE_REHEARSAL:
        return Price(PriceSource.REHEARSAL)
    if stated is not None:
        return stated
    if settings.GOALSITE_MODEL_PRICE is not None:
        return Price(PriceSource.ENVIRONMENT, "", *(Decimal(rate) for rate in settings.GOALSITE_MODEL_PRICE))
    return Price(PriceSource.TABLE, model) if in_table(model) else None


def recorded(record: Mapping[str, Any]) -> Price:
    """The price that was kept with a call."""
    rates = {name: Decimal(record[name]) for name in ("input", "output", "cached") if name in record}
    return Price(PriceSource(record["source"]), record.get("entry", ""), **rates)


def cost_of(record: Mapping[str, Any] | None, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> Decimal:
    """USD for these tokens at the price that was kept with a call; nothing where none was known."""
    return recorded(record).cost(input_tokens, output_tokens, cached_tokens) if record else Decimal(0)


def require(price: Price | None, model: str) -> None:
    """UnknownPrice, with what to do about it, where no price is known for this model."""
    if price is None:
        raise UnknownPrice(
            f"no price is known for the model {model!r}, and this goal has a limit on cost_usd: state the price in the "
            'admin, or in GOALSITE_MODEL_PRICE as "input/output" in USD per million tokens, or take the limit off'
        )


def in_table(model: str, input_tokens: int = 0, output_tokens: int = 0, cached: int = 0) -> Any:
    """What the maintained table says of a call to this model, with the model's own entry; None where it has none."""
    from genai_prices import Usage, calc_price

    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens, cache_read_tokens=cached)
    for where in _providers():
        try:
            return calc_price(usage, model, **where)
        except LookupError:
            continue
    return None


def _providers() -> list[dict[str, str]]:
    """The configured endpoint's own prices first, then whoever is known to serve a model of that name."""
    url = settings.OPENAI_BASE_URL
    remote = url and urlsplit(url).hostname not in LOOPBACK
    return [{"provider_api_url": url}, {}] if remote else [{}]
