"""Webhooks over the API."""

import pytest

from goals import services
from goals.models import ApiToken, Delivery, IdempotentRequest, Webhook
from goals.webhooks import signing
from tests.goals.api.conftest import client_of

pytestmark = pytest.mark.django_db
ALL = "/api/webhooks/"
AT = {"address": "https://example.org/in", "kinds": ["goal.created"], "name": "shop"}


def of_token(user, *scopes):
    client = client_of(None)
    _, secret = ApiToken.objects.issue(user, name="t", scopes=list(scopes))
    client.credentials(HTTP_AUTHORIZATION=f"Token {secret}")
    return client


def test_a_webhook_is_made_listed_changed_and_removed_and_its_secret_is_told_once(api, ada):
    made = api.post(ALL, AT)
    assert made.status_code == 201
    row = Webhook.objects.get()
    assert made.json()["secret"] == signing.secret_of(row)
    one = f"{ALL}{row.pk}/"
    for shown in (api.get(one).json(), api.get(ALL).json()["results"][0], api.patch(one, {"active": False}).json()):
        assert (shown["name"], shown["owner"], shown["goal"]) == ("shop", "ada", None)
        assert "secret" not in shown
        assert row.salt not in str(shown)
    row.refresh_from_db()
    assert not row.active
    rotated = api.post(f"{one}rotate/").json()["secret"]
    assert rotated not in ("", made.json()["secret"])
    assert api.delete(one).status_code == 204
    assert api.get(one).status_code == 404
    assert api.get(ALL).json()["results"] == []


def test_a_secret_is_kept_for_no_repetition_of_the_request(api):
    first, second = (api.post(ALL, AT, headers={"Idempotency-Key": "k"}).json() for _ in range(2))
    assert first["secret"].startswith("whsec_")
    assert second == {**first, "secret": None}
    assert first["secret"] not in str(IdempotentRequest.objects.values().get())


def test_deliveries_are_listed_filtered_and_made_once_more(api, ada):
    hook = f"{ALL}{api.post(ALL, AT).json()['id']}/"
    goal = services.submit(owner=ada, objective="Write")
    tried = api.post(f"{hook}test/")
    assert (tried.status_code, tried.json()["kind"]) == (202, "webhook.test")
    listed = api.get(f"{hook}deliveries/").json()["results"]
    assert [(row["kind"], row["goal"], row["status"]) for row in listed] == [
        ("webhook.test", None, "pending"),
        ("goal.created", str(goal.pk), "pending"),
    ]
    Delivery.objects.filter(goal=goal).update(status="given_up", attempts=10)
    [given_up] = api.get(f"{hook}deliveries/?status=given_up").json()["results"]
    again = api.post(f"{hook}deliveries/{given_up['id']}/redeliver/")
    assert (again.status_code, again.json()["status"], again.json()["attempts"]) == (202, "pending", 0)
    assert api.get(f"{hook}deliveries/?status=lost").status_code == 400


def test_what_is_wrong_is_named(api):
    for body, field in [
        ({}, "address"),
        ({"address": "http://127.0.0.1/"}, "address"),
        ({**AT, "kinds": ["x"]}, "kinds"),
        ({**AT, "goal": "x"}, "goal"),
        ({**AT, "secret": "mine"}, "secret"),
    ]:
        refused = api.post(ALL, body)
        assert (refused.status_code, list(refused.json()["errors"])) == (400, [field])
    assert not Webhook.objects.exists()
    hook = f"{ALL}{api.post(ALL, AT).json()['id']}/"
    assert api.patch(hook, {"address": "file:///x"}).status_code == 400
    assert list(api.patch(hook, {}).json()["errors"]) == ["body"]
    assert api.post(f"{hook}deliveries/{Webhook.objects.get().pk}/redeliver/").status_code == 404
    api.patch(hook, {"active": False})
    assert api.post(f"{hook}test/").json()["code"] == "stale_goal"


def test_what_is_being_delivered_is_not_taken_away(api):
    hook = f"{ALL}{api.post(ALL, AT).json()['id']}/"
    row = api.post(f"{hook}test/").json()["id"]
    Delivery.objects.update(taken_by=row, due_at="2999-01-01T00:00Z")
    assert api.post(f"{hook}deliveries/{row}/redeliver/").status_code == 409


def test_a_token_needs_the_scope_of_what_it_does(ada, operator):
    assert of_token(ada, "read").post(ALL, AT).status_code == 403
    assert of_token(ada, "act").post(ALL, AT).status_code == 201
    wide = {**AT, "site_wide": True}
    assert of_token(operator, "read", "act").post(ALL, wide).status_code == 403
    made = of_token(operator, "read", "act", "operate").post(ALL, wide)
    assert made.status_code == 201
    assert of_token(operator, "read", "act").patch(f"{ALL}{made.json()['id']}/", AT).status_code == 404


def test_a_delivery_is_found_below_its_own_webhook_only(api, others, ada, bob):
    theirs = Delivery.objects.get(pk=api.post(f"{ALL}{api.post(ALL, AT).json()['id']}/test/").json()["id"])
    Delivery.objects.update(status="given_up")
    below = f"{ALL}{others.post(ALL, AT).json()['id']}/deliveries/{theirs.pk}/"
    assert others.post(f"{below}redeliver/").status_code == 404
    theirs.refresh_from_db()
    assert theirs.status == "given_up"


def test_an_operators_token_without_the_scope_has_a_webhook_told_of_its_persons_goals_only(operator):
    narrow = of_token(operator, "read", "act")
    one = f"{ALL}{narrow.post(ALL, AT).json()['id']}/"
    assert narrow.patch(one, {"site_wide": True}).status_code == 403
    assert client_of(operator).patch(one, {"site_wide": True}).status_code == 200
