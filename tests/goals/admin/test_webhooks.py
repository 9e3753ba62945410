"""Webhooks and their deliveries in the console."""

import pytest

from goals import services
from goals.models import Delivery, Webhook
from goals.webhooks import acts, signing
from tests.goals.admin.conftest import console_of

pytestmark = pytest.mark.django_db

SENT = {"_form_submitted": "on"}
LIST, DELIVERIES = "/admin/goals/webhook/", "/admin/goals/delivery/"
AT = {"name": "shop", "address": "https://example.org/in", "kinds": ["goal.created"], "active": "on"}


@pytest.fixture
def hook(ada):
    return acts.make(ada, {"address": "https://example.org/ada", "kinds": ["goal.steered"]})[0]


def test_a_webhook_is_made_changed_tried_and_removed(console, root):
    told = console.post(f"{LIST}add/", AT, follow=True).content.decode()
    made = Webhook.objects.get()
    assert (made.owner, made.kinds, made.active) == (root, ["goal.created"], True)
    assert signing.secret_of(made) in told
    one = f"{LIST}{made.pk}"
    assert "example.org" in console.get(LIST).content.decode()
    page = console.get(f"{one}/change/").content.decode()
    assert signing.secret_of(made) not in page
    assert made.salt not in page
    console.post(f"{one}/change/", {**AT, "name": "till", "site_wide": "on"})
    made.refresh_from_db()
    assert (made.name, made.site_wide) == ("till", True)
    assert "on its way" in console.post(f"{one}/test/", SENT, follow=True).content.decode()
    assert Delivery.objects.get(webhook=made).kind == "webhook.test"
    rotated = console.post(f"{one}/rotate/", SENT, follow=True).content.decode()
    made.refresh_from_db()
    assert signing.secret_of(made) in rotated
    console.post(f"{one}/remove/", SENT)
    assert console.get(f"{one}/change/").status_code == 302
    assert not Webhook.objects.visible_to(root).exists()


def test_the_dashboard_says_how_many_are_in_trouble(console, hook):
    assert "they fail or are disabled" not in console.get("/admin/").content.decode()
    Webhook.objects.update(active=False, disabled_because="it was refused")
    assert "they fail or are disabled" in console.get("/admin/").content.decode()
    assert "Disabled" in console.get(LIST).content.decode().title()


def test_what_is_wrong_is_said_at_its_field(console, staff):
    page = console.post(f"{LIST}add/", {**AT, "address": "http://127.0.0.1/"}).content.decode()
    assert "127.0.0.1 is loopback" in page
    page = console_of(staff).post(f"{LIST}add/", {**AT, "site_wide": "on"}).content.decode()
    assert "goals.operate" in page
    assert not Webhook.objects.exists()


def test_deliveries_are_read_and_made_once_more(console, hook, goal, ada):
    services.steer(ada, goal.pk, "Be brief")
    row = Delivery.objects.get()
    Delivery.objects.update(status="given_up", attempts=9, error="it answered (500)")
    assert "given_up" in console.get(f"{DELIVERIES}?status=given_up&webhook={hook.pk}").content.decode()
    page = f"{DELIVERIES}{row.pk}"
    assert "it answered (500)" in console.get(f"{page}/change/").content.decode()
    assert console.post(f"{page}/change/", {"status": "delivered"}).status_code == 403
    assert "once more" in console.post(f"{page}/redeliver/", SENT, follow=True).content.decode()
    row.refresh_from_db()
    assert (row.status, row.attempts) == ("pending", 0)
    Delivery.objects.update(status="given_up")
    chosen = {"action": "redeliver_chosen", "_selected_action": [str(row.pk)]}
    assert "1 on their way" in console.post(DELIVERIES, chosen, follow=True).content.decode()


def test_staff_see_and_try_their_own_only(staff, bob, hook, goal, ada):
    row = acts.test(ada, hook.pk)
    stranger = console_of(staff)
    assert str(row.pk) not in stranger.get(f"{DELIVERIES}?webhook={hook.pk}").content.decode()
    for path in (LIST, DELIVERIES):
        assert "example.org/ada" not in stranger.get(path).content.decode()
    for path in (f"{LIST}{hook.pk}/change/", f"{DELIVERIES}{row.pk}/change/"):
        assert stranger.get(path).status_code == 302
    for path in (f"{LIST}{hook.pk}/{act}/" for act in ("test", "rotate", "remove")):
        assert stranger.post(path, SENT).status_code == 404
    assert stranger.post(f"{DELIVERIES}{row.pk}/redeliver/", SENT).status_code == 404
    hook.refresh_from_db()
    assert (hook.active, hook.deliveries.count(), hook.previous_salt) == (True, 1, "")


def test_a_list_costs_as_many_queries_with_many_rows(console, hook, ada, django_assert_max_num_queries):
    for _ in range(15):
        acts.test(ada, hook.pk)
        acts.make(ada, {"address": "https://example.org/in"})
    for path in (LIST, DELIVERIES):
        with django_assert_max_num_queries(12):
            console.get(path)
