"""Budgets in Postgres: reserve before use, settle after. Both are one statement on the goal's budget rows.

Everybody locks the goal before its budget: here the reservation, in `transitions.writing` what is recorded. The lock
makes the look at epoch and status exact, too: a goal that is being paused or taken over is seen as it then is.

`seconds` is granted, not demanded: a call gets at most the time that is left, and at least one second.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from functools import cache
from typing import Any, NoReturn

from django.db import DEFAULT_DB_ALIAS, DataError
from psycopg.errors import DivisionByZero

from goals import budget, rows
from goals.exceptions import BudgetExceeded, BudgetHeld, Interrupted, LeaseLost
from goals.models import Budget, Effect, Goal, ModelCall, ToolCall
from goals.states import EffectStatus, GoalStatus, Resource

WORKING = [GoalStatus.PLANNING.value, GoalStatus.ACTIVE.value]
LEAST_SECONDS = Decimal(1)
LAST_DIGIT = Decimal("0.000001")  # of the budget's columns

# One statement: look at the goal, lock the rows in order, reserve, and write the effect. Where a row cannot take it,
# the division fails, and with it the whole statement.
INTEND = """
WITH working AS (
    SELECT id FROM goals_goal WHERE id = %s AND lease_epoch = %s AND status IN ('planning', 'active') FOR SHARE
), wanted AS (
    SELECT b.id, b.resource,
        CASE WHEN b.resource = 'seconds' AND b."limit" IS NOT NULL
             THEN greatest(least(v.amount, b."limit" - b.used - b.reserved), 1) ELSE v.amount END AS amount
    FROM working CROSS JOIN goals_budget b
    JOIN unnest(%s::text[], %s::numeric[]) AS v(resource, amount) ON v.resource = b.resource
    WHERE b.goal_id = %s ORDER BY b.resource FOR UPDATE OF b
), reserved AS (
    UPDATE goals_budget b SET reserved = b.reserved + wanted.amount FROM wanted
    WHERE b.id = wanted.id AND (b."limit" IS NULL OR b.used + b.reserved + wanted.amount <= b."limit")
    RETURNING b.resource, wanted.amount
), granted AS (
    SELECT coalesce(jsonb_object_agg(resource, amount::text), '{}') AS amounts,
        1 / (count(*) = %s AND EXISTS (SELECT 1 FROM working))::int AS enough FROM reserved
)
INSERT INTO <table> (<columns>) SELECT <values> FROM granted WHERE granted.enough = 1 RETURNING reserved
"""
# What is settled once a row of `written` says that it may be; takes the values of `settling`.
SETTLED = """
actual AS (
    SELECT b.id, b.used AS before, v.reserved, v.used
    FROM written CROSS JOIN goals_budget b JOIN unnest(%s::text[], %s::numeric[], %s::numeric[])
        AS v(resource, reserved, used) ON v.resource = b.resource
    WHERE b.goal_id = %s ORDER BY b.resource FOR UPDATE OF b
), settled AS (
    UPDATE goals_budget b SET
        reserved = greatest(b.reserved - actual.reserved, 0),
        used = greatest(b.used, least(b.used + actual.used,
            coalesce(b."limit" - greatest(b.reserved - actual.reserved, 0), b.used + actual.used)))
    FROM actual WHERE b.id = actual.id
    RETURNING b.resource, b."limit", actual.before, b.used, actual.before + actual.used
)
"""
LINES = 'SELECT resource, "limit", used, reserved FROM goals_budget WHERE goal_id = %s'
SETTLE = f"WITH written AS (SELECT 1), {SETTLED} SELECT * FROM settled"  # noqa: S608 - a text of our own


@dataclass(frozen=True, slots=True)
class Settled:
    """One resource after a settlement. `overrun` is what a call really took beyond its limit (0 as a rule)."""

    resource: Resource
    limit: Decimal | None
    before: Decimal
    used: Decimal
    overrun: Decimal

    @property
    def warns(self) -> bool:
        return budget.crossed_warning(self.limit, self.before, self.used)


def open_budget(goal: Goal, limits: Mapping[Resource, Decimal | None]) -> None:
    """Make the four budget rows of a new goal."""
    Budget.objects.bulk_create(Budget(goal=goal, resource=r, limit=limits.get(r)) for r in Resource)


def reserve(goal: Goal, epoch: int, row: Effect, amounts: budget.Amounts) -> dict[Resource, Decimal]:
    """Reserve for a goal that is being worked on under `epoch`, and write the effect's row; return what was granted.

    One statement: both happen or neither. Raises BudgetExceeded, LeaseLost or Interrupted, or IntegrityError when the
    row's key exists already.
    """
    statement, at = _intending(type(row))
    values = rows.values_of(row)
    parameters = [
        goal.pk,
        epoch,
        _array(amounts),
        _array(amounts.values()),
        goal.budget_goal_id,
        len(amounts),
        *values[:at],
        *values[at + 1 :],
    ]
    try:
        (granted,) = rows.execute(statement, parameters).fetchone()
    except DataError as error:
        if not isinstance(error.__cause__, DivisionByZero):
            raise
        _explain(goal, epoch, amounts)
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
    row.reserved = json.loads(granted) if isinstance(granted, str) else granted
    return {Resource(resource): Decimal(amount) for resource, amount in row.reserved.items()}


@cache
def _intending(model: type[Effect]) -> tuple[str, int]:
    """Return INTEND for a table, and which of a row's values it has from the reservation instead."""
    columns, marks = rows.columns_of(model), list(rows.marks_of(model))
    at = columns.index('"reserved"')
    marks[at] = "granted.amounts"
    statement = INTEND.replace("<table>", model._meta.db_table).replace("<columns>", ", ".join(columns))
    return statement.replace("<values>", ", ".join(marks)), at


def _array(values: Iterable[Any]) -> str:
    """An array's text, of our own words and numbers; psycopg would look at every element."""
    return f"{{{','.join(map(str, values))}}}"


def _explain(goal: Goal, epoch: int, amounts: budget.Amounts) -> NoReturn:
    """Say why a reservation was refused."""
    now = Goal.objects.only("status", "lease_epoch").get(pk=goal.pk)
    if now.lease_epoch != epoch:
        raise LeaseLost
    if now.status not in WORKING:
        raise Interrupted(f"the goal is {now.status}")
    wanted = {**amounts, Resource.SECONDS: min(LEAST_SECONDS, amounts.get(Resource.SECONDS, LEAST_SECONDS))}
    refused = budget.refusals(lines_of(goal), wanted)
    if not refused:
        raise BudgetHeld("one of the resources", "more", "less")  # it was given back between the two looks
    line = refused[0]
    kind = BudgetHeld if budget.is_held(refused, wanted, _in_flight(goal, epoch)) else BudgetExceeded
    raise kind(line.resource.value, budget.figure(wanted[line.resource]), budget.figure(line.left or budget.ZERO))


def _in_flight(goal: Goal, epoch: int) -> dict[Resource, Decimal]:
    """Return what calls of this goal have reserved under this epoch and may yet give back."""
    held: dict[Resource, Decimal] = {}
    for model in (ModelCall, ToolCall):
        found = model.objects.filter(goal=goal, epoch=epoch, status=EffectStatus.INTENDED)
        for reserved in found.values_list("reserved", flat=True):
            for name, amount in reserved.items():
                held[Resource(name)] = held.get(Resource(name), budget.ZERO) + Decimal(amount)
    return held


def settle(goal: Goal, reserved: Mapping[str, Any], used: budget.Amounts) -> list[Settled]:
    """Give back a reservation and count what was really used, within the caller's transaction."""
    return settled(rows.execute(SETTLE, settling(goal, reserved, used)).fetchall()) if reserved or used else []


def settling(goal: Goal, reserved: Mapping[str, Any], used: budget.Amounts) -> list[Any]:
    """Return the values that SETTLED takes."""
    resources = sorted({*reserved, *used})
    return [
        _array(resources),
        _array(reserved.get(resource, 0) for resource in resources),
        _array(used.get(resource, 0) for resource in resources),  # type: ignore[call-overload]
        goal.budget_goal_id,
    ]


def settled(found: Iterable[Any]) -> list[Settled]:
    """Return what SETTLED gave."""
    return [Settled(Resource(r), limit, before, now, _beyond(true - now)) for r, limit, before, now, true in found]


def _beyond(more: Decimal) -> Decimal:
    """Return an overrun; what the column's last digit rounds off is none."""
    return max(budget.ZERO, more.quantize(LAST_DIGIT, ROUND_DOWN))


def lines_of(goal: Goal) -> list[budget.Line]:
    """Return the goal's budget as the pure core sees it, in the order of the resources."""
    found = rows.execute(LINES, [goal.budget_goal_id]).fetchall()
    lines = {resource: budget.Line(Resource(resource), *amounts) for resource, *amounts in found}
    return [lines[resource] for resource in Resource if resource in lines]
