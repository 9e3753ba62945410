"""An operator closes a breaker."""

import pytest

from goals import operating, services
from goals.exceptions import NotAllowed, NotFound, StaleGoal
from goals.states import EffectClass, GoalStatus
from goals.tasks import Slice
from goals.tools.errors import ToolError
from tests.goals.effects.breakers.far import only


def test_an_operator_closes_it_and_what_sleeps_wakes(planned, tool, settle, django_user_model, settings):
    settings.GOALSITE_BREAKER_SECONDS = settings.GOALSITE_BREAKER_LONGEST_SECONDS = 3600
    settings.GOALSITE_BREAKER_FAILURES = 1
    answers = iter([ToolError("down", retryable=True)])
    tool("far", EffectClass.PURE, lambda *_: [raising(error) for error in answers])
    goal = planned("far")
    Slice(lambda: False, only=[goal.pk], linger=0.0).run()
    row = only()
    with pytest.raises(NotAllowed):
        operating.close_breaker(goal.owner, row.pk)
    root = django_user_model.objects.create_superuser("root")
    closed = operating.close_breaker(root, row.pk)
    assert (closed.state, closed.closed_by) == ("closed", root)
    assert goal.events.last().actor == root
    with pytest.raises(StaleGoal):
        operating.close_breaker(root, row.pk)
    with pytest.raises(NotFound):
        operating.close_breaker(root, "x")
    assert settle(goal).status == GoalStatus.COMPLETED
    assert services.find(root, goal.pk).reason != row.error


def raising(error):
    raise error
