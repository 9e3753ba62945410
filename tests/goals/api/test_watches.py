"""Watches over HTTP: their rule is given with the goal, shown with it, and changed by its owner."""

import pytest

from goals.models import Goal, Watch

pytestmark = pytest.mark.django_db
VERIFIER = {"type": "data", "path": "done.txt", "contains": "yes"}
WISH = {"objective": "Tell me", "mode": "monitor", "verifier": VERIFIER}


def test_a_watch_is_submitted_shown_changed_and_told_to_look(api, others, ada):
    rule = {"interval": 5, "trigger": "change", "repeat": True, "follow_up": {"objective": "See why"}}
    made = api.post("/api/goals/", WISH | {"watch": rule})
    assert made.status_code == 201
    shown = made.json()["watch"]
    assert {name: shown[name] for name in rule} == rule
    assert (shown["looks"], shown["verdict"], shown["deadline"]) == (0, "", None)
    address = f"/api/goals/{made.json()['id']}"
    changed = api.patch(f"{address}/watch/", {"interval": 9, "deadline": "2999-01-01T00:00:00Z"}).json()["watch"]
    assert (changed["interval"], changed["deadline"], changed["repeat"]) == (9, "2999-01-01T00:00:00Z", True)
    Goal.objects.update(status="waiting", waits_for="watch", wake_at="2999-01-01T00:00:00Z")
    assert api.post(f"{address}/look/").json()["wake_at"] < "2999"
    assert others.patch(f"{address}/watch/", {"interval": 1}).status_code == 404
    assert others.post(f"{address}/look/").status_code == 404


def test_a_wrong_rule_is_refused_by_name_and_nothing_is_written(api, goal):
    for wish, name in (({"interval": 0}, "watch.interval"), ({"speed": 1}, "watch.speed")):
        answer = api.post("/api/goals/", WISH | {"watch": wish})
        assert (answer.status_code, list(answer.json()["errors"])) == (400, [name])
    assert api.post("/api/goals/", {"objective": "x", "watch": {}}).json()["errors"].keys() == {"watch"}
    assert not Watch.objects.exists()
    address = f"/api/goals/{goal.pk}"
    assert api.get(f"{address}/").json()["watch"] is None
    assert api.patch(f"{address}/watch/", {"interval": 9}).status_code == 409
    assert api.post(f"{address}/look/").status_code == 409
    assert api.patch(f"{address}/watch/", {}).status_code == 400
