"""Submitting, listing, looking at and moving goals over HTTP."""

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from goals import services
from goals.models import ApiToken, Goal
from tests.goals.api.conftest import client_of, permitted

pytestmark = pytest.mark.django_db


def test_a_goal_is_submitted_and_shown(api, ada):
    sent = {
        "objective": "Write an inventory",
        "context": "of the folder",
        "limits": {"cost_usd": 1, "tokens": None},
        "verifier": {"type": "data", "path": "inventory.md", "contains": "modules"},
    }
    made = api.post("/api/goals/", sent)
    assert made.status_code == 201
    goal = Goal.objects.get()
    assert made.json() == api.get(f"/api/goals/{goal.pk}/").json()
    assert (goal.owner, goal.objective, goal.status) == (ada, "Write an inventory", "planning")
    assert made.json()["budget"]["cost_usd"] == {"limit": 1.0, "used": 0.0, "reserved": 0.0}
    assert made.json()["budget"]["tokens"]["limit"] is None
    assert len(made.json()["verifier_digest"]) == 64


def test_a_token_and_a_session_both_say_who_one_is(goal, ada):
    _, token = ApiToken.objects.issue(ada, name="api", scopes=["read"])
    client = APIClient()
    assert len(client.get("/api/goals/", HTTP_AUTHORIZATION=f"Token {token}").json()["results"]) == 1
    client.force_login(ada)
    assert len(client.get("/api/goals/").json()["results"]) == 1


def test_a_session_needs_a_csrf_token_to_write(goal, ada):
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(ada)
    answer = client.post(f"/api/goals/{goal.pk}/pause/")
    assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")
    assert Goal.objects.get().status == "planning"


def test_a_stranger_is_told_to_say_who_they_are(goal):
    answer = client_of(None).get("/api/goals/")
    assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["WWW-Authenticate"].startswith("Token")
    wrong = client_of(None).get("/api/goals/", HTTP_AUTHORIZATION="Token nonsense")
    assert (wrong.status_code, wrong.json()["code"]) == (401, "authentication_failed")


def test_the_list_is_filtered_and_paged(api, ada, operator):
    for number in range(3):
        services.submit(owner=ada, objective=f"Count to {number}")
    services.cancel(ada, Goal.objects.filter(objective="Count to 0").get().pk)
    services.submit(owner=operator, objective="Something else")
    assert len(api.get("/api/goals/").json()["results"]) == 3
    assert len(api.get("/api/goals/", {"status": "cancelled"}).json()["results"]) == 1
    assert len(api.get("/api/goals/?status=cancelled&status=planning").json()["results"]) == 3
    assert api.get("/api/goals/", {"q": "to 2"}).json()["results"][0]["objective"] == "Count to 2"
    all_of_them = client_of(operator)
    assert len(all_of_them.get("/api/goals/").json()["results"]) == 4
    assert len(all_of_them.get("/api/goals/", {"owner": "ada"}).json()["results"]) == 3
    page = api.get("/api/goals/", {"page_size": 2}).json()
    assert [row["objective"] for row in page["results"]] == ["Count to 2", "Count to 1"]
    assert len(api.get(page["next"]).json()["results"]) == 1


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("page_size=0", "page_size"),
        ("page_size=201", "page_size"),
        ("page_size=ten", "page_size"),
        ("page_size=²", "page_size"),
        ("page_size=" + "9" * 30, "page_size"),
        ("page_size=" + "9" * 5000, "page_size"),
        ("offset=1", "offset"),
        ("stauts=active", "stauts"),
        ("cursor=", "cursor"),
        ("cursor=nonsense", "cursor"),
        ("cursor=%00", "cursor"),
        ("ordering=objective", "ordering"),
        ("ordering=--created_at", "ordering"),
        ("fields=", "fields"),
        ("fields=id,lease_owner", "fields"),
        ("outcome=fine", "outcome"),
        ("created_after=yesterday", "created_after"),
        ("finished_before=", "finished_before"),
        ("status=finished", "status"),
        ("q=%00", "q"),
        ("q=%20", "q"),
        ("owner=%20%20", "owner"),
        ("owner=" + "x" * 200, "owner"),
        ("sop=" + "x" * 101, "sop"),
        ("q=" + "x" * 201, "q"),
    ],
)
def test_a_query_that_cannot_be_is_refused_by_name(api, query, field):
    answer = api.get(f"/api/goals/?{query}")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])


def test_what_is_done_to_a_goal_is_done_by_its_service(api, goal):
    base = f"/api/goals/{goal.pk}"
    assert api.post(f"{base}/pause/", {"reason": "lunch"}).json()["paused_for"] == "user"
    assert api.post(f"{base}/resume/").json()["status"] == "planning"
    assert api.post(f"{base}/steer/", {"text": "Be brief"}).json()["steering"][0]["text"] == "Be brief"
    assert api.post(f"{base}/fork/", {"objective": "Another"}).json()["forked_from"] == str(goal.pk)
    assert api.post(f"{base}/cancel/").json()["status"] == "cancelled"
    again = api.delete(f"{base}/")
    assert (again.status_code, again.json()["code"]) == (409, "stale_goal")
    assert [event.actor_id for event in goal.events.all()] == [goal.owner_id] * 5


def test_a_plan_can_be_asked_for_again_once_there_is_one(api, goal):
    path = f"/api/goals/{goal.pk}/revise/"
    assert api.post(path, {"reason": "cheaper"}).status_code == 409
    Goal.objects.update(plan_due=False)
    assert api.post(path, {"reason": "cheaper"}).status_code == 200
    assert Goal.objects.get().revise_reason == "cheaper"
    assert list(api.post(path, {}).json()["errors"]) == ["reason"]


def test_delete_cancels_and_keeps_the_history(api, goal):
    assert api.delete(f"/api/goals/{goal.pk}/").json()["status"] == "cancelled"
    assert api.get(f"/api/goals/{goal.pk}/events/").json()["last_seq"] == 2


def test_only_who_may_rearm_does(api, goal, ada):
    services.cancel(ada, goal.pk)
    refused = api.post(f"/api/goals/{goal.pk}/rearm/")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
    armed = client_of(permitted(User.objects.get(pk=ada.pk), "rearm")).post(f"/api/goals/{goal.pk}/rearm/")
    assert (armed.status_code, armed.json()["status"]) == (200, "active")


def test_only_an_operator_seals_another_verifier(api, goal, operator):
    path, by_operator = f"/api/goals/{goal.pk}/verifier/", client_of(operator)
    sent = {"verifier": {"type": "artifact", "name": "it"}, "reason": "the old one was wrong"}
    assert api.patch(path, sent).json()["code"] == "not_allowed"
    assert by_operator.patch(path, sent).json()["verifier"] == sent["verifier"]
    assert list(by_operator.patch(path, {"verifier": {"type": "llm"}}).json()["errors"]) == ["reason"]


def test_limits_are_shown_set_and_raised(api, goal):
    path = f"/api/goals/{goal.pk}/limits/"
    assert api.patch(path, {"cost_usd": 10}).json()["cost_usd"]["limit"] == 10.0
    assert api.patch(path, {"cost_usd": "+2.5"}).json()["cost_usd"]["limit"] == 12.5
    assert api.patch(path, {"seconds": None}).json()["seconds"]["limit"] is None
    assert api.get(path).json()["cost_usd"]["limit"] == 12.5


def test_a_goal_goes_into_ones_own_conversation_only(api, others, conversation):
    sent = {"objective": "Book a train", "conversation": str(conversation.pk)}
    assert others.post("/api/goals/", sent).status_code == 404
    assert not Goal.objects.exists()
    assert api.post("/api/goals/", sent).json()["conversation"] == str(conversation.pk)
