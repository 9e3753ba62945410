"""Raising the limits of several goals: a budget that some of them share is raised once."""

from collections.abc import Iterable
from typing import Any

from goals import limits, services
from goals.management.base import pairs
from goals.models import Goal


def changes_of(given: list[str] | None, flag: str) -> dict[str, Any]:
    """Return limits from `cost_usd=10`, `cost_usd=+5`, `cost_usd=none`; refuses what can be no limit of any goal."""
    changes = {name: None if value.strip().lower() == "none" else value for name, value in pairs(given, flag).items()}
    limits.parse(changes)
    return changes


def locked(ids: Iterable[Any]) -> list[Goal]:
    """Lock goals before any of their budgets, in the one order, and give them in the order of their budgets.

    A fork draws on its root's budget: whoever held that while waiting for the fork would wait for its driver.
    """
    goals = Goal.objects.select_for_update(no_key=True).filter(pk__in=list(ids)).order_by("pk")
    return sorted(goals, key=lambda goal: (goal.budget_goal_id, goal.pk))


def raise_each(person: Any, goals: Iterable[Goal], changes: dict[str, Any]) -> None:
    """Change the limits of locked goals; each budget once, through the first goal that draws on it."""
    raised: set[Any] = set()
    for goal in goals if changes else ():
        if goal.budget_goal_id not in raised:
            services.raise_limits(person, goal.pk, changes)
            raised.add(goal.budget_goal_id)
