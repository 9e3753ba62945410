"""What an operator does to the site itself rather than to one goal."""

from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone

from goals.exceptions import NotAllowed, NotFound, StaleGoal
from goals.models import Breaker, Goal, Subgoal
from goals.models.goal import LIVE
from goals.states import BreakerState, SubgoalStatus, WaitsFor
from goals.transitions import writing

MOST_WOKEN = 1000


def close_breaker(user: Any, breaker_id: Any) -> Breaker:
    """Let calls through again at once, and wake the goals that sleep until a time; who did it stands on the row."""
    if not user.has_perm("goals.operate"):
        raise NotAllowed("to close a breaker you need the permission goals.operate")
    try:
        row = Breaker.objects.get(pk=breaker_id)
    except (Breaker.DoesNotExist, ValidationError, ValueError, TypeError):
        raise NotFound(f"there is no breaker {str(breaker_id)[:80]}") from None
    closed = Breaker.objects.open().filter(pk=row.pk)
    facts = {"failures": 0, "openings": 0, "opened_at": None, "retry_at": None, "probe": "", "probe_until": None}
    now = timezone.now()
    if not closed.update(state=BreakerState.CLOSED, closed_by=user, closed_at=now, **facts):
        raise StaleGoal("the breaker is closed already")
    row.refresh_from_db()
    _wake_sleepers(user, row)
    return row


def _wake_sleepers(user: Any, row: Breaker) -> None:
    """Wake what sleeps because of this breaker, and what slept beside it: woken too early, it sleeps again."""
    asleep = Goal.objects.filter(status__in=LIVE, wake_at__gt=timezone.now(), reason__startswith=row.called)
    for goal_id in asleep.values_list("pk", flat=True)[:MOST_WOKEN]:
        with writing(goal_id, actor=user) as writer:
            goal = writer.goal
            if goal.wake_at is None or goal.is_ended:
                continue
            for subgoal in Subgoal.objects.filter(goal=goal, status=SubgoalStatus.WAITING, wake_at__gt=writer.now):
                writer.facts(subgoal, wake_at=writer.now)
            writer.facts(goal, wake_at=writer.now)
            said = {"wake_at": writer.now.isoformat(), "reason": f"a person let calls of {row.called} through again"}
            writer.event("goal.waiting", {"for": WaitsFor.TIMER.value, **said})
            writer.wakes_workers = True
