"""Breakers in the console: operators see which far sides are left alone, and let calls through again."""

import pytest
from django.utils import timezone

from goals.models import Breaker
from tests.goals.admin.conftest import console_of

pytestmark = pytest.mark.django_db

SENT = {"_form_submitted": "on"}
LIST = "/admin/goals/breaker/"


@pytest.fixture
def broken():
    now = timezone.now()
    facts = {"state": "open", "failures": 5, "opened_at": now, "retry_at": now, "error": "it was refused"}
    return Breaker.objects.create(kind="tool", name="far", **facts)


def test_an_open_breaker_is_shown_and_closed_in_the_name_of_who_did_it(console, root, broken):
    assert "it was refused" in console.get(LIST).content.decode()
    page = f"{LIST}{broken.pk}/change/"
    assert "Close now" in console.get(page).content.decode()
    assert "is closed." in console.post(f"{LIST}{broken.pk}/close/", SENT, follow=True).content.decode()
    broken.refresh_from_db()
    assert (broken.state, broken.failures, broken.closed_by) == ("closed", 0, root)
    assert "Close now" not in console.get(page).content.decode()


def test_looking_at_the_form_closes_nothing(console, broken):
    assert console.get(f"{LIST}{broken.pk}/close/").status_code == 200
    assert Breaker.objects.get().state == "open"


def test_staff_who_are_no_operators_neither_see_nor_close_it(staff, broken):
    stranger = console_of(staff)
    assert stranger.get(LIST).status_code == 403
    assert stranger.post(f"{LIST}{broken.pk}/close/", SENT).status_code == 404
    assert Breaker.objects.get().state == "open"
