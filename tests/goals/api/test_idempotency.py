"""`Idempotency-Key`: the same request sent again, or many times at once, is done once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.contrib.auth.models import User
from django.db import connection

from goals.models import Goal, IdempotentRequest
from goals.models.idempotency import KEPT
from tests.goals.api.conftest import client_of

KEY = {"HTTP_IDEMPOTENCY_KEY": "first-of-may"}
BODY = {"objective": "Count to ten"}


@pytest.mark.django_db
def test_the_same_request_again_gets_the_same_answer_and_does_nothing(api):
    first = api.post("/api/goals/", BODY, **KEY)
    again = api.post("/api/goals/", BODY, **KEY)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert again["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first
    pause = f"/api/goals/{first.json()['id']}/pause/"
    assert api.post(pause, {}, HTTP_IF_MATCH=again["ETag"]).status_code == 200
    assert api.post(pause, {}, HTTP_IF_MATCH=again["ETag"]).status_code == 412
    assert Goal.objects.count() == 1


@pytest.mark.django_db
def test_without_a_key_each_request_is_a_new_one(api):
    api.post("/api/goals/", BODY)
    api.post("/api/goals/", BODY)
    assert (Goal.objects.count(), IdempotentRequest.objects.count()) == (2, 0)


@pytest.mark.django_db
def test_another_body_or_address_under_the_same_key_is_refused(api):
    goal = api.post("/api/goals/", BODY, **KEY).json()["id"]
    for path, body in [("/api/goals/", {"objective": "Else"}), (f"/api/goals/{goal}/cancel/", {})]:
        answer = api.post(path, body, **KEY)
        assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_conflict")
    assert Goal.objects.get().status == "planning"


@pytest.mark.django_db
def test_a_key_is_its_users_own(api, others):
    mine = api.post("/api/goals/", BODY, **KEY).json()
    theirs = others.post("/api/goals/", BODY, **KEY).json()
    assert mine["id"] != theirs["id"]
    assert theirs["owner"] == "bob"
    assert [client.post("/api/goals/", BODY, **KEY).json() for client in (api, others)] == [mine, theirs]


@pytest.mark.django_db
def test_what_was_refused_can_be_corrected_under_the_same_key(api):
    assert api.post("/api/goals/", {"objective": ""}, **KEY).status_code == 400
    assert not IdempotentRequest.objects.exists()
    assert api.post("/api/goals/", BODY, **KEY).status_code == 201


@pytest.mark.django_db
def test_every_post_takes_a_key(api, question, conversation):
    said = f"/api/conversations/{conversation.pk}/messages/"
    for path, body in [(f"/api/questions/{question.pk}/answer/", {"answer": "Rome"}), (said, {"content": "Hello"})]:
        key = {"HTTP_IDEMPOTENCY_KEY": path}
        first, again = api.post(path, body, **key), api.post(path, body, **key)
        assert first.status_code < 300
        assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert conversation.messages.filter(role="user").count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 201])
def test_a_key_that_cannot_be_is_refused_by_name(api, key):
    answer = api.post("/api/goals/", BODY, HTTP_IDEMPOTENCY_KEY=key)
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["Idempotency-Key"])
    assert not Goal.objects.exists()


@pytest.mark.django_db
def test_a_key_is_forgotten_after_a_day(api):
    first = api.post("/api/goals/", BODY, **KEY).json()
    row = IdempotentRequest.objects.get()
    IdempotentRequest.objects.update(created_at=row.created_at - KEPT - timedelta(seconds=1))
    assert api.post("/api/goals/", BODY, **KEY).json()["id"] != first["id"]
    assert IdempotentRequest.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_many_at_once_are_done_once():
    user = User.objects.create_user("ada")
    together = Barrier(8)

    def send(_):
        together.wait()
        try:
            return client_of(user).post("/api/goals/", BODY, **KEY)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(send, range(8)))
    assert {answer.status_code for answer in found} == {201}
    assert len({answer.json()["id"] for answer in found}) == 1
    assert sum("Idempotency-Replayed" in answer for answer in found) == 7
    assert Goal.objects.count() == 1
