"""Many goals at once: all of them or none."""

import json

import pytest

from artifacts.models import Context
from goals import bulk
from goals.models import ApiPace, Budget, Event, Goal
from tests.goals.api.conftest import client_of

pytestmark = pytest.mark.django_db
BULK = "/api/goals/bulk/"
KEY = {"HTTP_IDEMPOTENCY_KEY": "the-lot"}


def wishes(*objectives, **more):
    return {"goals": [{"objective": objective, **more} for objective in objectives]}


def nothing_is_made(data_dir):
    folders = data_dir / "workspaces"
    left = list(folders.iterdir()) if folders.exists() else []
    return not left and not any(row.objects.exists() for row in (Goal, Budget, Event, Context))


def test_all_are_taken_in_their_order(api, ada, conversation):
    sent = wishes("One", "Two", "Three", limits={"tokens": 9}, conversation=str(conversation.pk), context=None)
    made = api.post(BULK, sent)
    assert made.status_code == 201
    assert [row["objective"] for row in made.json()["results"]] == ["One", "Two", "Three"]
    assert {(goal.owner, goal.conversation, goal.status) for goal in Goal.objects.all()} == {
        (ada, conversation, "planning")
    }
    assert Budget.objects.filter(resource="tokens", limit=9).count() == 3
    listed = {row["id"] for row in api.get("/api/goals/").json()["results"]}
    assert listed == {row["id"] for row in made.json()["results"]}


def test_one_that_is_wrong_keeps_all_from_being_made_and_all_that_is_wrong_is_told(api, data_dir):
    sent = {
        "goals": [
            {"objective": "Fine"},
            {"objective": " ", "limits": {"cost_usd": -1}},
            {"objective": "Elsewhere", "conversation": "01a200bc-0aa7-76c4-9145-7082c16e51e6"},
            {"objective": "Runs", "verifier": {"type": "command", "command": "true"}},
            {"objective": "Fine as well"},
        ]
    }
    answer = api.post(BULK, sent)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_input")
    assert set(answer.json()["errors"]) == {
        "goals.1.objective",
        "goals.1.limits.cost_usd",
        "goals.2.conversation",
        "goals.3.verifier",
    }
    assert "goals.use_host_verifiers" in answer.json()["errors"]["goals.3.verifier"]
    assert nothing_is_made(data_dir)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "goals"),
        ({"goals": []}, "goals"),
        ({"goals": {}}, "goals"),
        ({"goals": [{"objective": "x"}, 5]}, "goals.1.body"),
        ({"goals": [{"objective": "x"}, {"objective": "y", "limit": 1}]}, "goals.1.limit"),
        ({"goals": [{"objective": "x\x00"}]}, "goals.0.objective"),
        ({"goals": [{"objective": "x"}] * (bulk.MOST + 1)}, "goals"),
        ({"goals": [{"objective": "x"}], "all": True}, "all"),
        ([{"objective": "x"}], "body"),
    ],
)
def test_a_body_that_cannot_be_is_refused_by_place_and_field(api, data_dir, body, field):
    answer = api.post(BULK, json.dumps(body), content_type="application/json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])
    assert nothing_is_made(data_dir)


def test_the_same_lot_again_is_made_once(api):
    first, again = (api.post(BULK, wishes("One", "Two"), **KEY) for _ in range(2))
    assert (again.status_code, again.json()) == (201, first.json())
    assert again["Idempotency-Replayed"] == "true"
    assert Goal.objects.count() == 2


def test_a_lot_counts_as_so_many_changes(api, settings):
    settings.GOALSITE_API_CHANGES = 5
    made = api.post(BULK, wishes("One", "Two", "Three"))
    assert (made.status_code, made["RateLimit-Remaining"]) == (201, "2")
    refused = api.post(BULK, wishes("Four", "Five", "Six"))
    assert (refused.status_code, refused.json()["code"], Goal.objects.count()) == (429, "throttled", 3)
    ApiPace.objects.all().delete()
    assert api.post(BULK, wishes("Four", "Five", "Six")).status_code == 201


def test_a_lot_that_is_more_than_a_minutes_changes_takes_the_whole_minute(api, settings):
    settings.GOALSITE_API_CHANGES = 2
    made = api.post(BULK, wishes("One", "Two", "Three"))
    assert (made.status_code, made["RateLimit-Remaining"]) == (201, "0")
    assert api.post(BULK, wishes("Four")).status_code == 429


def test_a_stranger_submits_nothing(db):
    assert client_of(None).post(BULK, wishes("One")).status_code == 401
    assert not Goal.objects.exists()
