"""An operator closes a breaker."""

from datetime import timedelta

import pytest
from django.utils import timezone

from goals import operating, services
from goals.exceptions import NotAllowed, NotFound, StaleGoal
from goals.models import Goal
from goals.states import EffectClass, GoalStatus
from goals.tasks import Slice
from goals.tools.errors import ToolError
from tests.goals.effects.breakers.far import only, opened


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


@pytest.fixture
def asleep(submit):
    """A goal that sleeps for a reason."""

    def make(reason):
        goal = submit()
        facts = {"status": "waiting", "waits_for": "timer", "wake_at": timezone.now() + timedelta(hours=1)}
        Goal.objects.filter(pk=goal.pk).update(**facts, reason=reason)
        return Goal.objects.get(pk=goal.pk)

    return make


def test_what_sleeps_for_another_reason_sleeps_on(asleep, django_user_model):
    row = opened()
    of_it, other = asleep(f"{row.called} is left alone"), asleep("the tool near is left alone")
    operating.close_breaker(django_user_model.objects.create_superuser("root"), row.pk)
    assert Goal.objects.get(pk=of_it.pk).wake_at < of_it.wake_at
    assert Goal.objects.get(pk=other.pk).wake_at == other.wake_at


def test_a_goal_that_ends_meanwhile_is_not_woken(asleep, django_user_model, monkeypatch):
    row = opened()
    goal, writing = asleep(f"{row.called} is left alone"), operating.writing

    def late(*given, **named):
        services.cancel(goal.owner, goal.pk)
        return writing(*given, **named)

    monkeypatch.setattr(operating, "writing", late)
    operating.close_breaker(django_user_model.objects.create_superuser("root"), row.pk)
    assert goal.events.latest("seq").kind == "goal.cancelled"


def raising(error):
    raise error
