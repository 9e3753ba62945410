"""Which goals want a person's look, and why: the dashboard's sections and the list's filter ask the same here.

Each starts from goals that have not ended, which are few however long the history is, and looks up what it asks of each
by a subquery with one value: a semi-join would read the whole of the other table.
"""

from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now

from goals.models import Budget, Checkpoint, Event, Goal, Question
from goals.models.goal import LIVE
from goals.states import CheckpointStatus, GoalStatus

UNFINISHED = [*LIVE, GoalStatus.PAUSED]
TIGHT = 0.8  # of a limit: where `budget.warning` is told, too
TRIED_AGAIN = 2


def asking(goals: QuerySet[Goal]) -> QuerySet[Goal]:
    """Those with an open question."""
    return goals.filter(Exists(Question.objects.open().filter(goal=OuterRef("pk"))))


def near_budget(goals: QuerySet[Goal]) -> QuerySet[Goal]:
    """Those that have used or reserved most of a limit, be it the one of the goal that lends them its budget."""
    lent = tight_lines().filter(goal_id=Coalesce(OuterRef("root_id"), OuterRef("pk"))).order_by()
    return goals.alias(tight=Subquery(lent.values("pk")[:1])).filter(tight__isnull=False, status__in=UNFINISHED)


def tight_lines() -> QuerySet[Budget]:
    return Budget.objects.filter(limit__isnull=False, limit__lte=(F("used") + F("reserved")) / TIGHT)


def struggling(goals: QuerySet[Goal]) -> QuerySet[Goal]:
    """Those at work on something that has failed before: a checkpoint tried again, or the same verdict again."""
    again = Checkpoint.objects.filter(goal=OuterRef("pk"), status=CheckpointStatus.ACTIVE, attempts__gte=TRIED_AGAIN)
    return goals.filter(Q(repeats__gt=0) | Exists(again), status__in=UNFINISHED)


def stuck(goals: QuerySet[Goal]) -> QuerySet[Goal]:
    """Those that a worker should move and none has moved for a while: nothing was written in their history."""
    long_ago = Now() - quiet_too_long()
    due = (Q(wake_at=None) & ~Q(status=GoalStatus.WAITING)) | Q(wake_at__lte=long_ago)
    return goals.alias(last_at=last_at()).filter(due, last_at__lt=long_ago, status__in=LIVE)


def last_at() -> Subquery:
    """When a goal's history was last written, by its number there."""
    return Subquery(Event.objects.filter(goal=OuterRef("pk"), seq=OuterRef("seq")).order_by().values("at"))


def quiet_too_long() -> timedelta:
    """Longer than any task of the queue may take, and a quarter of an hour at least."""
    return timedelta(seconds=max(900, 2 * settings.LONGEST_TASK))


NEEDS: dict[str, Callable[[QuerySet[Goal]], QuerySet[Goal]]] = {
    "answer": asking,
    "budget": near_budget,
    "help": struggling,
    "worker": stuck,
}
