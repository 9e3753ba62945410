"""Models and prices in the console: what is in force, and what those who may configure say."""

import pytest
from django.utils import timezone

from goals import model_settings
from goals.models import ModelChoice, ModelPrice
from tests.goals.admin.conftest import console_of
from tests.goals.api.conftest import permitted
from tests.goals.conftest import endpoint  # noqa: F401

pytestmark = pytest.mark.django_db
MODELS, PRICES = "/admin/goals/modelchoice/", "/admin/goals/modelprice/"
PRICE = {"model": "small", "input_usd": "1.5", "output_usd": "3", "cached_usd": "", "note": "the contract"}
TIMES = {f"valid_{end}_{part}": "" for end in ("from", "until") for part in (0, 1)}
SENT = {"_form_submitted": "on"}


@pytest.fixture(autouse=True)
def forgetful(settings):
    settings.GOALSITE_MODEL_PRICE = None
    model_settings.rows.forget()
    yield
    model_settings.rows.forget()


def test_a_role_is_given_a_model_that_is_tried_and_taken_back(console, root, endpoint, settings):  # noqa: F811
    settings.GOALSITE_MODEL_PRICE = None
    sent = console.post(f"{MODELS}add/", {"role": "judge", "model": "unheard-of", "note": ""}, follow=True)
    assert "No price is known for unheard-of" in sent.content.decode()
    row = ModelChoice.objects.get()
    assert (row.role, row.model, row.changed_by) == ("judge", "unheard-of", root)
    page = console.get(MODELS).content.decode()
    assert "an operator" in page
    assert "the environment" in page
    console.post(f"{MODELS}{row.pk}/change/", {"role": "planner", "model": "unheard-of", "note": "still"})
    assert [(one.role, one.note) for one in ModelChoice.objects.all()] == [("judge", "still")]
    console.post(f"{MODELS}{row.pk}/try/", SENT)
    row.refresh_from_db()
    assert row.tried.startswith("answered in ")
    assert row.tried in console.get(f"{MODELS}{row.pk}/change/").content.decode()
    console.post(f"{MODELS}{row.pk}/delete/", {"post": "yes"})
    assert "an operator" not in console.get(MODELS).content.decode()


def test_a_price_is_stated_and_ended_and_never_changed(console, root, endpoint):  # noqa: F811
    assert console.post(f"{PRICES}add/", PRICE | TIMES).status_code == 302
    row = ModelPrice.objects.get()
    assert (str(row.input_usd), row.stated_by, row.valid_until) == ("1.500000", root, None)
    assert model_settings.price_of("small").entry == str(row.pk)
    assert console.get(PRICES).status_code == 200
    assert console.post(f"{PRICES}{row.pk}/change/", PRICE | TIMES).status_code == 403
    assert console.post(f"{PRICES}{row.pk}/delete/", {"post": "yes"}).status_code == 403
    console.post(f"{PRICES}{row.pk}/end/", SENT)
    row.refresh_from_db()
    assert row.valid_until <= timezone.now()


@pytest.mark.parametrize(
    "wrong",
    [
        {"input_usd": "-1"},
        {"cached_usd": "-1"},
        {"input_usd": "NaN"},
        {"output_usd": ""},
        {"model": ""},
        {"valid_from_0": "2020-01-01", "valid_from_1": "00:00"},
        {"valid_until_0": "2020-01-01", "valid_until_1": "00:00"},
    ],
)
def test_a_wrong_price_is_refused_on_its_form(console, wrong):
    refused = console.post(f"{PRICES}add/", PRICE | TIMES | wrong)
    (field,) = refused.context["adminform"].form.errors
    assert next(iter(wrong)).startswith(field)
    assert not ModelPrice.objects.exists()


def test_it_is_said_that_the_rehearsal_model_answers_whatever_is_chosen(console, settings):
    settings.GOALSITE_REHEARSAL = True
    assert "the rehearsal model, whatever is chosen here" in console.get(MODELS).content.decode()


def test_an_operator_looks_and_others_do_not(staff, operator):
    choice = ModelChoice.objects.create(role="judge", model="m")
    price = ModelPrice.objects.create(model="m", input_usd=1, output_usd=1)
    operator.is_staff = True
    operator.save()
    watcher = console_of(operator)
    for address in (MODELS, PRICES):
        assert watcher.get(address).status_code == 200
        assert watcher.get(f"{address}add/").status_code == 403
        assert console_of(staff).get(address).status_code == 403
    watcher.post(f"{MODELS}{choice.pk}/try/", SENT)
    watcher.post(f"{PRICES}{price.pk}/end/", SENT)
    choice.refresh_from_db(), price.refresh_from_db()
    assert (choice.tried, price.valid_until) == ("", None)
    assert console_of(permitted(staff, "configure")).get(f"{PRICES}add/").status_code == 200
