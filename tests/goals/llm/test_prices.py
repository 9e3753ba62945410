"""What a call costs: stated, from the table, free in rehearsal, or unknown."""

from decimal import Decimal

import pytest

from goals.llm.errors import UnknownPrice
from goals.llm.prices import Price, PriceSource, cost_of, price_of, recorded, require


def cost(model, *tokens, cached=0):
    price = price_of(model)
    return price and price.cost(*tokens, cached)


@pytest.fixture(autouse=True)
def real_endpoint(settings):
    settings.GOALSITE_REHEARSAL = False
    settings.OPENAI_BASE_URL = "https://api.openai.com/v1"
    settings.GOALSITE_MODEL_PRICE = None


def test_the_table_knows_the_price_of_a_known_model_and_of_its_dated_name():
    assert cost("gpt-4.1-mini", 1_000_000, 0) == Decimal("0.4")
    assert cost("gpt-4.1-mini-2025-04-14", 0, 1_000_000) == Decimal("1.6")


def test_cached_input_costs_less_and_never_more_than_all_input():
    assert cost("gpt-4.1-mini", 1_000, 0, cached=1_000) < cost("gpt-4.1-mini", 1_000, 0)
    assert cost("gpt-4.1-mini", 1_000, 0, cached=5_000) == cost("gpt-4.1-mini", 1_000, 0, cached=1_000)


def test_an_unknown_model_has_no_price_and_is_refused_with_what_to_do():
    assert cost("my-own-model", 1_000, 1_000) is None
    with pytest.raises(UnknownPrice, match="GOALSITE_MODEL_PRICE"):
        require(price_of("my-own-model"), "my-own-model")


def test_the_operators_stated_price_counts_before_the_table(settings):
    settings.GOALSITE_MODEL_PRICE = (Decimal(2), Decimal(10))
    assert cost("my-own-model", 500_000, 100_000) == Decimal(2)
    assert cost("gpt-4.1-mini", 1_000_000, 0) == Decimal(2)
    require(price_of("my-own-model"), "my-own-model")


def test_the_rehearsal_model_is_free(settings):
    settings.GOALSITE_REHEARSAL = True
    assert cost("rehearsal", 1_000_000, 1_000_000) == 0
    require(price_of("rehearsal"), "rehearsal")


def test_an_endpoint_on_this_machine_finds_the_price_by_the_models_name(settings):
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9999/v1"
    assert cost("gpt-4.1-mini", 1_000_000, 0) == Decimal("0.4")


def test_what_was_stated_for_a_model_counts_before_all_else_and_cached_input_may_cost_less(settings):
    settings.GOALSITE_MODEL_PRICE = (Decimal(2), Decimal(10))
    stated = Price(PriceSource.ROW, "id", Decimal(4), Decimal(8), Decimal(1))
    assert price_of("gpt-4.1-mini", stated) == stated
    assert stated.cost(1_000_000, 500_000, 250_000) == Decimal("7.25")
    assert stated.cost(1_000_000, 0, 5_000_000) == Decimal(1)
    settings.GOALSITE_REHEARSAL = True
    assert price_of("gpt-4.1-mini", stated).cost(1_000_000, 0) == 0


def test_a_price_that_was_kept_with_a_call_costs_the_same_again(settings):
    stated = Price(PriceSource.ROW, "id", Decimal("0.4"), Decimal("1.6"))
    for price in (stated, price_of("gpt-4.1-mini")):
        assert recorded(price.record).cost(300, 200, 100) == price.cost(300, 200, 100) > 0
    assert price_of("gpt-4.1-mini").record["table"].startswith("genai-prices ")
    assert cost_of(None, 300, 200) == 0
