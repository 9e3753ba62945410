"""Monitor mode: no turns of an agent; the verifier runs on a cadence until it is met or the deadline has passed."""

import datetime

import pytest
from django.utils import timezone

from goals.exceptions import InvalidInput
from goals.models import Goal, ModelCall
from goals.states import GoalStatus, Outcome
from goals.tasks import Slice


def look_once(goal):
    Slice(lambda: False, only=[goal.pk], linger=0).run()
    return Goal.objects.get(pk=goal.pk)


def watched(submit, tmp_path, **options):
    verifier = {"type": "data", "path": "done.txt", "contains": "yes"}
    return submit(mode="monitor", verifier=verifier, workspace=str(tmp_path), options=options)


def test_a_watched_goal_waits_with_a_time_and_is_completed_when_its_verifier_is_met(submit, tmp_path):
    goal = look_once(watched(submit, tmp_path, interval=3600))
    assert (goal.status, goal.waits_for) == (GoalStatus.WAITING, "watch")
    assert goal.wake_at > timezone.now() + datetime.timedelta(minutes=59)
    (tmp_path / "done.txt").write_text("yes")
    Goal.objects.filter(pk=goal.pk).update(wake_at=timezone.now())
    goal = look_once(goal)
    assert (goal.status, goal.outcome) == (GoalStatus.COMPLETED, Outcome.ACHIEVED)
    assert not ModelCall.objects.filter(goal=goal).exists()


def test_a_deadline_ends_the_watch(submit, tmp_path):
    past = (timezone.now() - datetime.timedelta(seconds=1)).isoformat()
    goal = look_once(watched(submit, tmp_path, deadline=past))
    assert (goal.status, goal.outcome) == (GoalStatus.FAILED, Outcome.EXHAUSTED)


def test_a_watch_needs_something_to_look_at(submit):
    with pytest.raises(InvalidInput, match="verifier"):
        submit(mode="monitor")
