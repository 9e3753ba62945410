"""Finding a goal for a person, and what is refused of one as it stands."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import ValidationError

from goals import seeing
from goals.exceptions import NotAllowed, NotFound, StaleGoal
from goals.models import Goal
from goals.states import GoalStatus
from goals.transitions import Writer, writing

UNFINISHED = {GoalStatus.PLANNING, GoalStatus.ACTIVE, GoalStatus.WAITING, GoalStatus.PAUSED}


def find(user: Any, goal_id: Any) -> Goal:
    """Return a goal that this person may see; raises NotFound for one that is missing or somebody else's."""
    try:
        goal = Goal.objects.get(pk=goal_id)
    except (Goal.DoesNotExist, ValidationError, ValueError, TypeError):
        goal = None
    if goal is None or not seeing.may_see(user, goal):
        raise NotFound(f"there is no goal {str(goal_id)[:80]}")
    return goal


def to_move(user: Any, goal_id: Any) -> Goal:
    """Return a goal that this person may move; raises NotFound, or NotAllowed for one that they may only look at."""
    goal = find(user, goal_id)
    if not seeing.may_move(user, goal):
        raise NotAllowed("this goal is shared with you to look at; its owner and operators move it")
    return goal


@contextmanager
def acting(user: Any, goal_id: Any) -> Iterator[Writer]:
    """Lock a goal for a person who may steer it."""
    goal = to_move(user, goal_id)
    with writing(goal.pk, actor=user) as writer:
        yield writer


def refuse_ended(goal: Goal, what: str) -> None:
    if goal.status not in UNFINISHED:
        raise StaleGoal(f"the goal is {goal.status}; only an unfinished goal can be {what}")


def refuse_while_plan_waits(goal: Goal) -> None:
    if goal.plan_asked:
        raise StaleGoal("a plan waits for an answer; approve it, send it edited, or ask for another there")
