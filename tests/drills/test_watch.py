"""A watch in real workers, one of which is killed between two looks."""

import pytest

from goals import services
from goals.models import Goal, ModelCall, Watch
from tests.goals import rules
from tests.goalsite.processes import eventually

pytestmark = pytest.mark.drill


def test_a_watch_goes_on_under_another_worker_and_fires_once_for_one_rising_edge(site, owner, tmp_path):
    goal = services.submit(
        owner=owner,
        objective="Tell me",
        mode="monitor",
        verifier={"type": "data", "path": "done.txt", "contains": "yes"},
        workspace=str(tmp_path),
        watch={"interval": 1, "repeat": True, "follow_up": {"objective": "See why", "plan_approval": True}},
    )
    first = site.worker()
    eventually(lambda: Watch.objects.get().looks >= 2, 60, "it looks again and again")
    site.kill(first)
    (tmp_path / "done.txt").write_text("yes")
    second = site.worker()
    eventually(lambda: Watch.objects.get().fired, 60, "it fires")
    seen = Watch.objects.get().looks
    eventually(lambda: Watch.objects.get().looks >= seen + 2, 60, "it goes on looking")
    eventually(lambda: Goal.objects.filter(parent=goal, plan_asked=True).exists(), 60, "the follow-up goal is planned")
    site.kill(second)
    assert Watch.objects.get().fired == goal.made.count() == goal.events.filter(kind="watch.fired").count() == 1
    assert not ModelCall.objects.filter(goal=goal).exists()
    services.cancel(owner, goal.pk)
    assert {one.status for one in Goal.objects.all()} == {"cancelled"}
    rules.hold()
