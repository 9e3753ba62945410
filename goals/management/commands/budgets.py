"""`manage.py budgets [ID] [--set cost_usd=10] [--json]`: what goals may use and have used, and changing it."""

import json
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from goals import services
from goals.exceptions import InvalidInput
from goals.management.base import GoalsiteCommand, pairs
from goals.models import Budget, Goal
from goals.services import UNFINISHED
from goals.states import Resource

MOST_GOALS = 200


class Command(GoalsiteCommand):
    help = "Show what a goal (or every unfinished one) may use, has used and has reserved; --set changes limits."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("goal", nargs="?", metavar="ID")
        parser.add_argument("--set", action="append", metavar="RESOURCE=LIMIT", help="10, +5 to raise, none for none")
        parser.add_argument("--json", action="store_true", help="one JSON object a goal")

    def handle(self, **options: Any) -> None:
        if options["set"] and not options["goal"]:
            raise InvalidInput({"ID": "is needed with --set: whose limits are to change"})
        person = import_string(settings.GOALSITE_OPERATOR)()
        goals = [services.find(person, options["goal"])] if options["goal"] else unfinished()
        if options["set"]:
            services.raise_limits(person, goals[0].pk, changes_of(options["set"], "--set"))
        rows = described(goals)
        self._json(rows) if options["json"] else self._lines(rows)

    def _json(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            self.stdout.write(json.dumps(row, ensure_ascii=False))

    def _lines(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            self.stdout.write(f"{row['goal']}  {row['status']}  {' '.join(row['objective'].split())[:80]}")
            for name in Resource.values:
                self.stdout.write(f"    {name:<12} {used_of(row['budget'][name])}")


def changes_of(given: list[str], flag: str) -> dict[str, Any]:
    """Return limits from `cost_usd=10`, `cost_usd=+5`, `cost_usd=none`."""
    return {name: None if value.strip().lower() == "none" else value for name, value in pairs(given, flag).items()}


def unfinished() -> list[Goal]:
    return list(Goal.objects.filter(status__in=UNFINISHED).order_by("-created_at")[:MOST_GOALS])


def described(goals: list[Goal]) -> list[dict[str, Any]]:
    """Return each goal with its budget, in one statement for all."""
    lines: dict[Any, dict[str, Any]] = {}
    for line in Budget.objects.filter(goal_id__in={goal.budget_goal_id for goal in goals}):
        limit = None if line.limit is None else float(line.limit)
        taken = {"limit": limit, "used": float(line.used), "reserved": float(line.reserved)}
        lines.setdefault(line.goal_id, {})[line.resource] = taken
    return [
        {
            "goal": str(goal.pk),
            "status": goal.status,
            "objective": goal.objective,
            "budget": lines.get(goal.budget_goal_id, {}),
        }
        for goal in goals
    ]


def used_of(line: dict[str, Any]) -> str:
    limit = "no limit" if line["limit"] is None else f"{line['limit']:g}"
    reserved = f" (+{line['reserved']:g})" if line["reserved"] else ""
    return f"{line['used']:g}{reserved} / {limit}"
