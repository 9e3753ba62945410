"""What a model call costs in USD: the operator's stated price, else a maintained offline table, else unknown.

The rehearsal model is free. Unknown is None, never zero; `require` refuses it for a goal with a cost limit.
"""

from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from goals.llm.bounds import upper_bound
from goals.llm.errors import UnknownPrice
from goals.llm.transport import LOOPBACK

__all__ = ["cost", "require", "upper_bound"]

MILLION = Decimal(1_000_000)


def cost(model: str, input_tokens: int, output_tokens: int, cached: int = 0) -> Decimal | None:
    """USD for these tokens (`cached` are among the input tokens), or None where no price is known."""
    if settings.GOALSITE_REHEARSAL:
        return Decimal(0)
    if settings.GOALSITE_MODEL_PRICE is not None:
        price_in, price_out = settings.GOALSITE_MODEL_PRICE
        return (price_in * input_tokens + price_out * output_tokens) / MILLION
    return _from_table(model, input_tokens, output_tokens, min(cached, input_tokens))


def require(model: str) -> None:
    """UnknownPrice, with what to do about it, where no price is known for this model."""
    if cost(model, 1, 1) is None:
        raise UnknownPrice(
            f"no price is known for the model {model!r}, and this goal has a limit on cost_usd: state the price in "
            'GOALSITE_MODEL_PRICE as "input/output" in USD per million tokens, or take the limit off'
        )


def _from_table(model: str, input_tokens: int, output_tokens: int, cached: int) -> Decimal | None:
    found = in_table(model, input_tokens, output_tokens, cached)
    return found.total_price if found else None


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
