"""Doing something to several goals, each on its own; or only trying it, and taking it back."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from goals.exceptions import GoalError, InvalidInput
from goals.models import Goal


@dataclass(frozen=True)
class Moved:
    """What became of one goal: the status it has now (on a dry run: would have), or why it was refused."""

    goal: Goal
    status: str
    refused: str = ""

    def as_json(self, act: str, *, dry_run: bool) -> dict[str, Any]:
        said = {"goal": str(self.goal.pk), "act": act, "status": self.status, "refused": self.refused}
        return {**said, "dry_run": dry_run, "objective": self.goal.objective}


def each(goals: Iterable[Goal], act: Callable[[Any], Any], *, dry_run: bool = False) -> list[Moved]:
    """Act on each by its id. What its state refuses is told; input that is wrong is raised before anything is done."""
    return [_one(goal, act, dry_run) for goal in goals]


def _one(goal: Goal, act: Callable[[Any], Any], dry_run: bool) -> Moved:
    try:
        with transaction.atomic():
            act(goal.pk)
            status = Goal.objects.values_list("status", flat=True).get(pk=goal.pk)
            if dry_run:
                transaction.set_rollback(True)
    except InvalidInput:
        raise
    except GoalError as error:
        return Moved(goal, goal.status, str(error))
    return Moved(goal, status)
