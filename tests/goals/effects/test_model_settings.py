"""Models and prices that operators set while goals are at work: what counts is what was in force at the call."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from goals import model_acts, model_settings, services
from goals.exceptions import InvalidInput, NotAllowed, StaleGoal
from goals.llm.prices import PriceSource
from goals.models import ModelCall, ModelChoice, ModelPrice
from goals.states import GoalStatus
from tests.goals.effects.meanwhile import calling
from tests.goals.test_model_goals import DONE, MET, plan, step

CHEAP = {"input_usd": Decimal(10), "output_usd": Decimal(20)}
DEAR = {"input_usd": Decimal(100), "output_usd": Decimal(200)}


@pytest.fixture(autouse=True)
def forgetful():
    model_settings.rows.forget()
    yield
    model_settings.rows.forget()


def test_a_role_uses_the_chosen_model_and_the_others_the_environments(endpoint, submit, settle, configurer):
    chosen = model_acts.choose(configurer, role="judge", model="a-stern-judge")
    endpoint.script.update(plan_checkpoints=[plan(step())], act=[DONE], judge_outcome=MET)
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED
    asked = {request["name"]: request["model"] for request in endpoint.requests}
    assert asked["judge_outcome"] == "a-stern-judge" != asked["act"]
    assert {call.purpose: call.model for call in ModelCall.objects.all()} == asked
    model_acts.take_back(configurer, chosen.pk)
    assert model_settings.model_of("judge") == model_settings.model_of("worker")


def test_the_rehearsal_model_answers_whatever_was_chosen(configurer, settings):
    model_acts.choose(configurer, role="judge", model="a-stern-judge")
    settings.GOALSITE_REHEARSAL = True
    assert model_settings.model_of("judge") == settings.GOALSITE_MODELS["judge"]


def test_a_change_of_price_counts_from_the_next_call_on_and_rewrites_nothing(endpoint, submit, settle, configurer):
    model = model_settings.model_of("worker")
    first = model_acts.state_price(configurer, model=model, **CHEAP)
    endpoint.script.update(plan_checkpoints=[plan(step())], act=[DONE], judge_outcome=MET)
    goal = settle(submit())
    calls = list(goal.modelcall_set.values_list("cost_usd", "input_tokens", "output_tokens", "price"))
    for cost, tokens_in, tokens_out, price in calls:
        assert cost == (10 * Decimal(tokens_in) + 20 * tokens_out) / 1_000_000 > 0
        assert (price["source"], price["entry"]) == ("row", str(first.pk))
    second = model_acts.state_price(configurer, model=model, **DEAR)
    assert model_settings.price_of(model).entry == str(second.pk)
    assert list(goal.modelcall_set.values_list("cost_usd", "input_tokens", "output_tokens", "price")) == calls
    model_acts.end_price(configurer, second.pk)
    assert model_settings.price_of(model).entry == str(first.pk)
    model_acts.end_price(configurer, first.pk)
    assert model_settings.price_of(model).source == PriceSource.ENVIRONMENT
    with pytest.raises(StaleGoal):
        model_acts.end_price(configurer, first.pk)


def test_a_price_that_changes_during_a_call_is_not_that_calls_price(endpoint, submit, meanwhile, configurer):
    model = model_settings.model_of("worker")
    first = model_acts.state_price(configurer, model=model, **CHEAP)
    endpoint.script.update(plan_checkpoints=[{**plan(step()), "hold": meanwhile.over}])
    goal = submit()

    def cheapen():
        model_acts.state_price(configurer, model=model, **DEAR)
        services.pause(goal.owner, goal.pk)

    meanwhile(goal, calling(goal, "plan_checkpoints"), cheapen)
    call = ModelCall.objects.get(goal=goal)
    assert call.price["entry"] == str(first.pk)
    assert call.cost_usd == (10 * Decimal(call.input_tokens) + 20 * call.output_tokens) / 1_000_000


def test_a_later_price_waits_for_its_time(configurer, endpoint):
    later = timezone.now() + timedelta(days=1)
    model_acts.state_price(configurer, model="m", **CHEAP, valid_from=later)
    assert model_settings.price_of("m").source == PriceSource.ENVIRONMENT
    ModelPrice.objects.update(valid_from=timezone.now() - timedelta(days=2))
    model_settings.rows.forget()
    assert model_settings.price_of("m").source == PriceSource.ROW
    ModelPrice.objects.update(valid_until=timezone.now() - timedelta(days=1))
    model_settings.rows.forget()
    assert model_settings.price_of("m").source == PriceSource.ENVIRONMENT


def test_a_price_that_is_ended_before_its_time_never_counts(configurer):
    tomorrow = timezone.now() + timedelta(days=1)
    row = model_acts.state_price(configurer, model="small", valid_from=tomorrow, **CHEAP)
    assert model_acts.end_price(configurer, row.pk).valid_until == tomorrow
    assert not ModelPrice.objects.in_force().filter(pk=row.pk).exists()


def test_what_came_of_trying_one_model_is_not_said_of_the_next(configurer, monkeypatch):
    row = model_acts.choose(configurer, role="judge", model="first")

    def meanwhile(model, role):
        model_acts.choose(configurer, role="judge", model="second")
        return 0.1

    monkeypatch.setattr(model_acts, "try_model", meanwhile)
    model_acts.attempt(configurer, row.pk)
    row.refresh_from_db()
    assert (row.model, row.tried) == ("second", "")


def test_a_model_without_a_price_stops_until_an_operator_states_one(endpoint, submit, settle, settings, configurer):
    settings.GOALSITE_MODEL_PRICE = None
    settings.GOALSITE_MODELS = dict.fromkeys(settings.GOALSITE_MODELS, "a-model-nobody-knows")
    endpoint.script.update(plan_checkpoints=[plan(step())], act=[DONE], judge_outcome=MET)
    goal = settle(submit())
    assert goal.status == GoalStatus.PAUSED
    assert "state the price in the admin" in goal.reason
    model_acts.state_price(configurer, model="a-model-nobody-knows", **CHEAP)
    services.resume(goal.owner, goal.pk)
    assert settle(goal).status == GoalStatus.COMPLETED


def test_a_chosen_model_is_tried_by_a_call_of_one_token(endpoint, configurer, settings):
    chosen = model_acts.choose(configurer, role="worker", model="small")
    assert model_acts.attempt(configurer, chosen.pk).tried.startswith("answered in ")
    assert (endpoint.requests[0]["model"], endpoint.requests[0]["body"]["max_tokens"]) == ("small", 1)
    settings.OPENAI_API_KEY = "sk-very-secret"
    endpoint.script["*"] = {"status": 401, "error": {"message": "Incorrect API key: sk-very-secret"}}
    tried = model_acts.attempt(configurer, chosen.pk).tried
    assert tried.startswith("failed: ")
    assert "sk-very-secret" not in tried
    model_acts.choose(configurer, role="worker", model="smaller")
    assert (ModelChoice.objects.get().tried, ModelChoice.objects.get().model) == ("", "smaller")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"valid_from": timezone.now() - timedelta(days=1)}, "valid_from"),
        ({"valid_until": timezone.now() - timedelta(days=1)}, "valid_until"),
        ({"input_usd": Decimal(-1)}, "input_usd"),
        ({"model": " "}, "model"),
    ],
)
def test_a_wrong_price_is_refused_by_name(configurer, given, field):
    with pytest.raises(InvalidInput) as refused:
        model_acts.state_price(configurer, **{"model": "m", **CHEAP, **given})
    assert list(refused.value.errors) == [field]
    assert not ModelPrice.objects.exists()


def test_only_who_may_configure_sets_models_and_prices(owner, configurer):
    chosen = model_acts.choose(configurer, role="worker", model="small")
    for act in (
        lambda: model_acts.choose(owner, role="worker", model="x"),
        lambda: model_acts.take_back(owner, chosen.pk),
        lambda: model_acts.attempt(owner, chosen.pk),
        lambda: model_acts.state_price(owner, model="m", **CHEAP),
        lambda: model_acts.end_price(owner, "x"),
    ):
        with pytest.raises(NotAllowed):
            act()
    with pytest.raises(InvalidInput, match="role"):
        model_acts.choose(configurer, role="cook", model="x")
    assert ModelChoice.objects.get().model == "small"
