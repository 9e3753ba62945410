"""`manage.py resume_goals [ID …] [--all] [--raise cost_usd=+5]`: let goals go on, driven here until each rests.

A running site's workers share the work: whoever holds a goal's lease drives it.
"""

import sys
import threading
import time
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from goals import services
from goals.connections import pooled
from goals.exceptions import InvalidInput
from goals.management.base import DONE, FAILED, WAITING, GoalsiteCommand
from goals.management.commands.budgets import changes_of
from goals.management.following import exit_code
from goals.models import Goal
from goals.models.goal import LIVE
from goals.states import GoalStatus
from goals.tasks import Slice

LOOK_EVERY = 0.2
MOST_GOALS = 500


class Command(GoalsiteCommand):
    help = "Let paused goals go on, with higher limits if wanted, and drive them here until each rests."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("goals", nargs="*", metavar="ID")
        parser.add_argument("--all", action="store_true", help="every paused goal")
        parser.add_argument("--raise", action="append", metavar="RESOURCE=+AMOUNT", dest="raised", help="first")
        parser.add_argument("--detach", action="store_true", help="leave them to the site's workers")

    def handle(self, **options: Any) -> None:
        if bool(options["goals"]) == options["all"]:
            raise InvalidInput({"ID": "name the goals, or give --all for every paused one"})
        changes = changes_of(options["raised"], "--raise") if options["raised"] else {}
        person = import_string(settings.GOALSITE_OPERATOR)()
        chosen = options["goals"] or Goal.objects.filter(status=GoalStatus.PAUSED).values_list("pk", flat=True)
        ids = resume(person, list(chosen[:MOST_GOALS]), changes)
        for goal in _found(ids):
            self.stdout.write(f"{goal.pk} goes on: {_line(goal.objective)}")
        if not options["detach"]:
            self._drive(ids)
        goals = _found(ids)
        sys.exit(DONE if options["detach"] else worst(exit_code(goal) for goal in goals))

    def _drive(self, ids: list[Any]) -> None:
        """Drive the goals until each has ended, is paused or waits for a person; Ctrl-C keeps them as they are."""
        over = threading.Event()
        thread = threading.Thread(target=_work, args=(ids, over), name="driver")
        thread.start()
        try:
            self._follow(ids)
        except KeyboardInterrupt:
            self.stdout.write("stopping; the goals are kept")
        finally:
            over.set()
            thread.join()

    def _follow(self, ids: list[Any]) -> None:
        resting: set[Any] = set()
        while len(resting) < len(ids):
            with pooled():
                goals = _found(ids)
            for goal in goals:
                if goal.pk not in resting and rests(goal):
                    resting.add(goal.pk)
                    outcome = f" ({goal.outcome})" if goal.outcome else ""
                    why = _line(goal.reason or goal.verdict_reason)
                    self.stdout.write(f"{goal.pk} {goal.status}{outcome} {why}".strip())
            time.sleep(LOOK_EVERY)


def resume(person: Any, ids: Iterable[Any], changes: dict[str, Any]) -> list[Any]:
    """Raise the limits of all and resume those that are paused: all or none. What is live already just goes on."""
    found = list(dict.fromkeys(services.find(person, goal_id).pk for goal_id in ids))
    with transaction.atomic():
        for goal in _locked(found):
            if changes:
                services.raise_limits(person, goal.pk, changes)
            if goal.status not in LIVE:
                services.resume(person, goal.pk)
    return found


def _locked(ids: list[Any]) -> list[Goal]:
    """Lock goals before any of their budgets, in the one order, and give them in the order of their budgets.

    A fork draws on its root's budget: whoever held that while waiting for the fork would wait for its driver.
    """
    goals = Goal.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")
    return sorted(goals, key=lambda goal: (goal.budget_goal_id, goal.pk))


def rests(goal: Goal) -> bool:
    """Whether only a person could move the goal on."""
    return goal.is_ended or goal.status == GoalStatus.PAUSED or goal.waits_for == "question"


def worst(codes: Iterable[int]) -> int:
    """1 when a goal failed, else 2 when one waits, else 0."""
    codes = set(codes)
    return FAILED if FAILED in codes else WAITING if WAITING in codes else DONE


def _work(ids: list[Any], over: threading.Event) -> None:
    while not over.is_set():
        Slice(over.is_set, only=ids).run()


def _found(ids: list[Any]) -> list[Goal]:
    return list(Goal.objects.filter(pk__in=ids))


def _line(text: str) -> str:
    return " ".join(text.split())[:200]
