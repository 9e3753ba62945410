"""What a goal may use, and changing it."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from goals import limits as limits_of
from goals.exceptions import InvalidInput
from goals.models import Budget, Goal
from goals.services.finding import to_move
from goals.states import Resource
from goals.transitions import writing


def raise_limits(user: Any, goal_id: Any, changes: Any) -> dict[str, Any]:
    """Set limits (`{"cost_usd": 10}`) or change them by an amount (`"+5"`); never below what is used and reserved."""
    goal = to_move(user, goal_id)
    if not isinstance(changes, Mapping) or not changes:
        raise InvalidInput({"limits": f"must be an object of {limits_of.ALLOWED}"})
    with writing(goal.pk, actor=user) as writer:
        rows = {
            row.resource: row
            for row in Budget.objects.select_for_update().filter(goal_id=goal.budget_goal_id).order_by("resource")
        }
        wanted = limits_of.parse({name: _absolute(rows.get(name), value) for name, value in changes.items()})
        for resource, limit in wanted.items():
            row = rows[resource]
            if limit is not None and limit < row.used + row.reserved:
                gone = f"{(row.used + row.reserved).normalize():f}"
                raise InvalidInput({f"limits.{resource}": f"{gone} are used or reserved already; set at least that"})
        for resource, limit in wanted.items():
            Budget.objects.filter(pk=rows[resource].pk).update(limit=limit)
        told = {resource.value: None if limit is None else str(limit) for resource, limit in wanted.items()}
        writer.event("goal.limits_changed", {"limits": told})
    return budget_of(goal)


def _absolute(row: Budget | None, value: Any) -> Any:
    """Turn "+5" into the limit that it makes; anything else is left for the parser."""
    if row is None or not isinstance(value, str) or not value.strip().startswith("+"):
        return value
    if row.limit is None:
        raise InvalidInput({f"limits.{row.resource}": "has no limit that could be raised; a number without + sets one"})
    try:
        return str(row.limit + (limits_of.amount(Resource(row.resource), value.strip()[1:]) or Decimal(0)))
    except ValueError as error:
        raise InvalidInput({f"limits.{row.resource}": str(error)}) from error


def budget_of(goal: Goal) -> dict[str, Any]:
    """Return `{resource: {limit, used, reserved}}` as JSON numbers; limit null means none."""
    rows = Budget.objects.filter(goal_id=goal.budget_goal_id).order_by("resource")
    return {
        row.resource: {
            "limit": None if row.limit is None else float(row.limit),
            "used": float(row.used),
            "reserved": float(row.reserved),
        }
        for row in rows
    }
