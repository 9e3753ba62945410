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
from goals.management import printing, selecting
from goals.management.base import DONE, FAILED, WAITING, GoalsiteCommand
from goals.management.following import exit_code, result_of
from goals.management.listing import facts_of, table_of
from goals.management.raising import changes_of, locked, raise_each
from goals.management.showing import next_step
from goals.models import Goal
from goals.models.goal import LIVE
from goals.states import GoalStatus
from goals.tasks import Slice

LOOK_EVERY = 0.2


class Command(GoalsiteCommand):
    help = "Let paused goals go on, with higher limits if wanted, and drive them here until each rests."
    moves_goals = True

    def add_arguments(self, parser: Any) -> None:
        selecting.add_ids(parser)
        selecting.add_selection(parser, everything="every paused goal")
        parser.add_argument("--raise", action="append", metavar="RESOURCE=+AMOUNT", dest="raised", help="first")
        parser.add_argument("--detach", action="store_true", help="leave them to the site's workers")
        parser.add_argument("--dry-run", action="store_true", help="say which would go on, and change nothing")
        parser.add_argument("--json", action="store_true", dest="as_json", help="one JSON object a line")

    def handle(self, **options: Any) -> None:
        printing.use_utf8(as_json=options["as_json"])
        changes = changes_of(options["raised"], "--raise")
        person = import_string(settings.GOALSITE_OPERATOR)()
        chosen = selecting.chosen(person, options, among=[GoalStatus.PAUSED])
        self.as_json = options["as_json"]
        if more := selecting.beyond(chosen):
            self.stderr.write(more)
        ids = resume(person, [goal.pk for goal in chosen], changes, dry_run=options["dry_run"])
        if options["dry_run"]:
            self._tell_all(ids)
            return
        if not (ids or self.as_json):
            self.stdout.write("0 go on: no paused goal is meant")
        for goal in _found(ids):
            self._tell({"type": "resumed", "goal": goal.pk}, f"{goal.pk} goes on: {_line(goal.objective)}")
        if not options["detach"]:
            self._drive(ids)
        goals = _found(ids)
        sys.exit(DONE if options["detach"] else worst(exit_code(goal) for goal in goals))

    def _tell(self, said: dict[str, Any], line: str) -> None:
        if self.as_json:
            printing.json_lines(self.stdout, [said])
        else:
            self.stdout.write(line)

    def _tell_all(self, ids: list[Any]) -> None:
        facts = facts_of(_found(ids))
        if self.as_json:
            printing.json_lines(self.stdout, facts)
            return
        printing.table(self.stdout, *table_of(facts))
        self.stdout.write(f"{len(facts)} would go on; nothing was changed")

    def _drive(self, ids: list[Any]) -> None:
        """Drive the goals until each has ended, is paused or waits for a person; Ctrl-C keeps them as they are."""
        over = threading.Event()
        thread = threading.Thread(target=_work, args=(ids, over), name="driver")
        thread.start()
        try:
            self._follow(ids)
        except KeyboardInterrupt:
            self.stderr.write("stopping; the goals are kept")
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
                    self._tell(result_of(goal), f"{goal.pk} {goal.status}{outcome} {why}".strip())
                    for line in () if self.as_json else next_step(goal):
                        self.stdout.write(f"  {line}")
            time.sleep(LOOK_EVERY)


def resume(person: Any, ids: Iterable[Any], changes: dict[str, Any], *, dry_run: bool = False) -> list[Any]:
    """Raise the limits of all and resume those that are paused: all or none. What is live already just goes on."""
    found = list(dict.fromkeys(services.find(person, goal_id).pk for goal_id in ids))
    with transaction.atomic():
        goals = locked(found)
        raise_each(person, goals, changes)
        for goal in goals:
            if goal.status not in LIVE:
                services.resume(person, goal.pk)
        if dry_run:
            transaction.set_rollback(True)
    return found


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
