"""Goals in a table or as JSON: each in a line, in a fixed number of statements."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils import timezone

from goals.api.counts import with_counts
from goals.budget import figure
from goals.models import Budget, Goal
from goals.states import Resource

HEADS = ("ID", "STATE", "AGE", "OWNER", "STEPS", "USD", "OBJECTIVE")
SPANS = ((604_800, "w"), (86_400, "d"), (3600, "h"), (60, "m"), (1, "s"))


def facts_of(goals: Iterable[Any]) -> list[dict[str, Any]]:
    """Return what is listed of each of these goals, in their order."""
    keys = [goal.pk for goal in goals]
    rows = {goal.pk: goal for goal in with_counts(Goal.objects.filter(pk__in=keys))}
    cost = _costs(rows.values())
    return [_facts(rows[key], cost.get(rows[key].budget_goal_id, Decimal(0))) for key in keys if key in rows]


def cells_of(facts: dict[str, Any], now: datetime) -> Sequence[str]:
    steps = f"{facts['checkpoints']['completed']}/{facts['checkpoints']['total']}"
    return (
        facts["goal"],
        state_of(facts),
        age_of(now, facts["created_at"]),
        facts["owner"],
        steps if facts["checkpoints"]["total"] else "–",
        f"{facts['cost_usd']:.4f}".rstrip("0").rstrip("."),
        facts["objective"],
    )


def table_of(facts: Iterable[dict[str, Any]]) -> tuple[Sequence[str], list[Sequence[str]]]:
    """Return the heads and the rows of a table of goals."""
    now = timezone.now()
    return HEADS, [cells_of(one, now) for one in facts]


def state_of(facts: dict[str, Any]) -> str:
    why = facts["paused_for"] or facts["waits_for"] or (facts["outcome"] if facts["status"] == "failed" else "")
    return f"{facts['status']} ({why})" if why else facts["status"]


def age_of(now: datetime, then: datetime) -> str:
    """Return how long ago something was, in its largest unit."""
    seconds = max(0, int((now - then).total_seconds()))
    return next((f"{seconds // span}{unit}" for span, unit in SPANS if seconds >= span), "0s")


def budget_cell(line: dict[str, Any] | None) -> str:
    """Return one resource as `used (+reserved) / limit`."""
    if line is None:
        return "–"
    limit = "no limit" if line["limit"] is None else _plain(line["limit"])
    reserved = f" (+{_plain(line['reserved'])})" if line["reserved"] else ""
    return f"{_plain(line['used'])}{reserved} / {limit}"


def _plain(amount: float) -> str:
    return figure(round(Decimal(str(amount)), 4))


def _costs(goals: Iterable[Goal]) -> dict[Any, Decimal]:
    lines = Budget.objects.filter(goal_id__in={goal.budget_goal_id for goal in goals}, resource=Resource.COST_USD)
    return dict(lines.values_list("goal_id", "used"))


def _facts(goal: Goal, cost: Decimal) -> dict[str, Any]:
    return {
        "goal": str(goal.pk),
        "status": goal.status,
        "outcome": goal.outcome,
        "paused_for": goal.paused_for,
        "waits_for": goal.waits_for,
        "reason": goal.reason or goal.verdict_reason,
        "owner": goal.owner.get_username(),
        "mode": goal.mode,
        "objective": goal.objective,
        "created_at": goal.created_at,
        "wake_at": goal.wake_at,
        "checkpoints": {"completed": goal.completed_count, "total": goal.checkpoint_count},
        "open_questions": goal.open_questions,
        "cost_usd": float(cost),
    }
