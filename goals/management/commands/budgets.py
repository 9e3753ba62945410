"""`manage.py budgets [ID …] [--set cost_usd=10] [--json]`: what goals may use and have used, and changing it."""

from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from goals.exceptions import InvalidInput
from goals.management import printing, selecting
from goals.management.base import GoalsiteCommand
from goals.management.listing import budget_cell
from goals.management.raising import changes_of, locked, raise_each
from goals.models import Budget, Goal
from goals.services import UNFINISHED
from goals.states import Resource

HEADS = ("ID", "STATE", *(name.upper() for name in Resource.values), "OBJECTIVE")


class Command(GoalsiteCommand):
    help = "Show what goals (all unfinished ones, if none are chosen) may use and have used; --set changes limits."
    moves_goals = True

    def add_arguments(self, parser: Any) -> None:
        selecting.add_ids(parser)
        selecting.add_selection(parser, everything="every unfinished goal")
        parser.add_argument("--set", action="append", metavar="RESOURCE=LIMIT", help="10, +5 to raise, none for none")
        parser.add_argument("--dry-run", action="store_true", help="say what would be set, and set nothing")
        parser.add_argument("--json", action="store_true", help="one JSON object a goal")

    def handle(self, **options: Any) -> None:
        printing.use_utf8(as_json=options["json"])
        changes = changes_of(options["set"], "--set")
        if changes and not options["goals"] and not selecting.selects(options):
            raise InvalidInput({"ID": "is needed with --set, or a selection: whose limits are to change"})
        if not options["goals"] and not options["state"]:
            options["state"] = sorted(UNFINISHED)
        person = import_string(settings.GOALSITE_OPERATOR)()
        goals = selecting.chosen(person, options, order=("-created_at", "-pk"))
        if more := selecting.beyond(goals):
            self.stderr.write(more)
        with transaction.atomic():
            if changes:
                raise_each(person, locked(goal.pk for goal in goals), changes)
            rows = described(goals)
            if options["dry_run"]:
                transaction.set_rollback(True)
        if options["json"]:
            printing.json_lines(self.stdout, rows)
        else:
            printing.table(self.stdout, HEADS, map(_cells, rows))
        if changes and options["dry_run"] and not options["json"]:
            self.stdout.write("nothing was changed")


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


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    amounts = (budget_cell(row["budget"].get(name)) for name in Resource.values)
    return row["goal"], row["status"], *amounts, row["objective"]
