"""Checkpoints are skipped, retried and edited over HTTP by whoever owns their goal."""

import pytest

from goals.models import Checkpoint

pytestmark = pytest.mark.django_db


@pytest.fixture
def pending(goal):
    return Checkpoint.objects.create(goal=goal, position=90, title="Later", predicate="execute")


def path(row, act=""):
    return f"/api/goals/{row.goal_id}/checkpoints/{row.pk}/{act}"


def test_a_checkpoint_is_edited_and_skipped(api, pending):
    changed = api.patch(path(pending), {"title": "Sooner"}, format="json")
    assert changed.status_code == 200, changed.json()
    assert Checkpoint.objects.get(pk=pending.pk).title == "Sooner"
    assert api.post(path(pending, "skip/"), {}, format="json").status_code == 400
    assert api.post(path(pending, "skip/"), {"reason": "no"}, format="json").status_code == 200
    assert Checkpoint.objects.get(pk=pending.pk).status == "skipped"
    assert api.post(path(pending, "retry/"), {}, format="json").status_code == 409


def test_nobody_elses_checkpoint_is_found(others, pending):
    assert others.patch(path(pending), {"title": "Mine"}, format="json").status_code == 404
    for act in ("skip/", "retry/"):
        assert others.post(path(pending, act), {"reason": "no"}, format="json").status_code == 404
    assert Checkpoint.objects.get(pk=pending.pk).status == "pending"


def test_a_goal_is_paused_without_awaiting_the_call_in_hand(api, goal):
    assert api.post(f"/api/goals/{goal.pk}/pause/", {"now": "maybe"}, format="json").status_code == 400
    assert api.post(f"/api/goals/{goal.pk}/pause/", {"now": True}, format="json").json()["status"] == "paused"
