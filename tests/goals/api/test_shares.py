"""Links to ended goals over the API."""

import pytest

from goals import services
from goals.models import IdempotentRequest, Share

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_link_is_made_listed_read_and_withdrawn(api, ada, client):
    goal = services.cancel(ada, services.submit(owner=ada, objective="Write").pk)
    made = api.post(f"/api/goals/{goal.pk}/shares/", {"days": 3})
    assert made.status_code == 201
    assert client.get(made.json()["url"]).status_code == 200
    listed = api.get(f"/api/goals/{goal.pk}/shares/").json()
    assert [set(row) for row in listed] == [{"id", "person", "created_at", "expires_at"}]
    assert api.delete(f"/api/goals/{goal.pk}/shares/{made.json()['id']}/").status_code == 204
    assert client.get(made.json()["url"]).status_code == 404
    assert api.get(f"/api/goals/{goal.pk}/shares/").json() == []


def test_what_is_wrong_is_named(api, ada):
    goal = services.submit(owner=ada, objective="Write")
    assert api.post(f"/api/goals/{goal.pk}/shares/", {}).status_code == 409
    services.cancel(ada, goal.pk)
    refused = api.post(f"/api/goals/{goal.pk}/shares/", {"days": 0})
    assert refused.status_code == 400
    assert "days" in str(refused.json())
    assert api.post(f"/api/goals/{goal.pk}/shares/", {"colour": 1}).status_code == 400
    assert api.delete(f"/api/goals/{goal.pk}/shares/{goal.pk}/").status_code == 404


def test_a_link_is_told_once_and_kept_nowhere(api, ada):
    goal = services.cancel(ada, services.submit(owner=ada, objective="Write").pk)
    key = {"HTTP_IDEMPOTENCY_KEY": "a-link"}
    url = api.post(f"/api/goals/{goal.pk}/shares/", {}, **key).json()["url"]
    assert url.rstrip("/").rpartition("/")[2] not in str(IdempotentRequest.objects.get().body)
    again = api.post(f"/api/goals/{goal.pk}/shares/", {}, **key)
    assert (again.status_code, again.json()["url"], Share.objects.count()) == (201, None, 1)


def test_a_stranger_meets_nothing(others, ada):
    goal = services.cancel(ada, services.submit(owner=ada, objective="Write").pk)
    assert others.get(f"/api/goals/{goal.pk}/shares/").status_code == 404
    assert others.post(f"/api/goals/{goal.pk}/shares/", {}).status_code == 404
    assert not Share.objects.exists()
