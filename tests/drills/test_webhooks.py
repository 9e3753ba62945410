"""Workers killed around the call of a webhook: every event arrives, and what arrives twice is told to be the same."""

import pytest

from goals import services
from goals.models import Delivery
from goals.webhooks import acts
from tests.drills.conftest import gone
from tests.goals.webhooks.conftest import later
from tests.goalsite.processes import eventually

pytestmark = pytest.mark.drill
TIMES = {"before": 1, "after": 2, "recorded": 1}


def test_a_worker_killed_around_a_delivery_loses_none(site, owner, settings):
    settings.GOALSITE_DOOR_ALLOW = ["127.0.0.1"]
    acts.make(owner, {"address": f"{site.receiver_url}in", "kinds": ["goal.created"]})
    for point, times in TIMES.items():
        goal = services.submit(owner=owner, objective=f"Be struck {point}")
        services.cancel(owner, goal.pk)
        gone([site.worker(strike=("webhook", point))])
        later(minutes=1)
        rescuer = site.worker()
        row = Delivery.objects.filter(goal=goal)
        eventually(lambda row=row: row.get().status == "delivered", 60, "it is delivered")
        site.kill(rescuer)
        assert row.get().attempts == (1 if point == "recorded" else 2)
        came = [line for line in site.received() if line["data"]["goal"] == str(goal.pk)]
        assert len(came) == times, point
        assert all(line == came[0] for line in came)
