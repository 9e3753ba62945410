"""`manage.py goal "OBJECTIVE"`: run one goal here, with progress; questions on the terminal."""

import json
import os
import signal
import sys
import threading
import time
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.utils.module_loading import import_string
from rich.console import Console

from goals import events, services
from goals.connections import pooled
from goals.exceptions import GoalError, InvalidInput
from goals.management.asking import ask
from goals.management.base import DONE, GoalsiteCommand, pairs
from goals.management.following import JsonFollower, exit_code
from goals.management.showing import TerminalFollower, TextFollower
from goals.models import Goal, Question
from goals.states import GoalStatus
from goals.tasks import Slice

AWAY = (OperationalError, InterfaceError)
LOOK_EVERY = 0.1
PATIENCE = 60.0
APPROVE = (
    "approve of dangerous tools and confirm what is asked, beforehand; a plan (--plan-approval) waits all the same"
)


class Command(GoalsiteCommand):
    help = "Run one goal here, with progress; questions are asked on the terminal."
    moves_goals = True

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("objective")
        parser.add_argument("--workspace", metavar="DIR", help="the folder to work in")
        parser.add_argument("--sop", default="", metavar="SLUG", help="follow this procedure")
        parser.add_argument("--verifier", metavar="JSON", help="what decides that the goal is met")
        parser.add_argument("--limit", action="append", metavar="RESOURCE=AMOUNT", help="as in cost_usd=1")
        parser.add_argument("--answer", action="append", metavar="KEY=VALUE", help="answer a question beforehand")
        parser.add_argument("--approve", action="store_true", help=APPROVE)
        parser.add_argument("--plan-approval", action="store_true", help="show the plan, and ask before it is begun")
        parser.add_argument("--alternatives", type=int, metavar="N", help="choose one of N plans (2 to 4)")
        parser.add_argument("--detach", action="store_true", help="leave it to the site's workers")
        parser.add_argument("--json", action="store_true", help="one JSON object a line")

    def handle(self, **options: Any) -> None:
        person = import_string(settings.GOALSITE_OPERATOR)()
        goal = self._submit(person, options)
        follower = follower_for(as_json=options["json"])
        if options["detach"]:
            follower.message(f"goal {goal.pk} is left to the site's workers: `manage.py up` runs them")
            if options["json"]:
                follower.end(goal)
            sys.exit(DONE)
        follower.begin(goal)
        asks = not options["json"] and sys.stdin.isatty()
        sys.exit(Run(goal, person, follower, asks=asks).to_its_end())

    def _submit(self, person: Any, options: dict[str, Any]) -> Goal:
        return services.submit(
            owner=person,
            conversation_title=str(options["objective"])[:80],
            objective=options["objective"],
            verifier=_json("--verifier", options["verifier"]),
            limits=pairs(options["limit"], "--limit"),
            sop=options["sop"],
            answers=pairs(options["answer"], "--answer"),
            workspace=options["workspace"],
            auto_approve=options["approve"],
            plan_approval=options["plan_approval"] or options["alternatives"] is not None,
            alternatives=options["alternatives"],
        )


def follower_for(*, as_json: bool) -> JsonFollower | TextFollower:
    """Return what shows the goal: JSON lines, a live terminal, or plain lines."""
    sys.stdout.reconfigure(encoding="utf-8" if as_json else None, errors="backslashreplace")
    if as_json:
        return JsonFollower(sys.stdout)
    console = Console(file=sys.stdout, soft_wrap=True)
    lives = console.is_terminal and not console.is_dumb_terminal
    return TerminalFollower(console) if lives else TextFollower(console)


def _json(flag: str, text: str | None) -> Any:
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidInput({flag: f"is no JSON: {error}"}) from error


class Run:
    """Drives one goal on a thread of this process, and follows it, whoever drives it."""

    def __init__(self, goal: Goal, person: Any, follower: JsonFollower | TextFollower, *, asks: bool) -> None:
        self.goal_id = goal.pk
        self.person = person
        self.follower = follower
        self.asks = asks
        self.seq = 0
        self.over = threading.Event()
        self.hurried = threading.Event()

    def to_its_end(self) -> int:
        """Follow until the goal has ended or only a person can move it; returns the exit code."""
        thread = threading.Thread(target=self._drive, name="driver", daemon=True)
        thread.start()
        before = signal.getsignal(signal.SIGINT)
        try:
            self._follow()
        except KeyboardInterrupt:
            self._hear_hurry()  # before it is offered
            self.follower.message("stopping once the call in hand is done; Ctrl-C again stops at once")
        finally:
            at_once = self._stop(thread)
            signal.signal(signal.SIGINT, before)
        goal = self._look()
        self.follower.end(goal)
        if at_once:
            sys.stdout.flush()
            os._exit(exit_code(goal))  # an ordinary exit would wait for the call; it is settled when the goal goes on
        return exit_code(goal)

    def _stop(self, thread: threading.Thread) -> bool:
        """Let the call in hand finish; whether a second Ctrl-C did not want to wait for it."""
        self._hear_hurry()
        self.over.set()
        while thread.is_alive() and not self.hurried.is_set():
            thread.join(LOOK_EVERY)
        return thread.is_alive()

    def _hear_hurry(self) -> None:
        """From now on Ctrl-C does not interrupt, wherever this thread stands; it is noted."""
        signal.signal(signal.SIGINT, lambda *_: self.hurried.set())

    def _drive(self) -> None:
        while not self.over.is_set():
            try:
                Slice(self.over.is_set, only=[self.goal_id]).run()
            except AWAY:
                self.over.wait(1)

    def _follow(self) -> None:
        while True:
            goal = self._look()
            if goal.is_ended or goal.status == GoalStatus.PAUSED:
                return
            question = self._asked(goal)
            if question is not None:
                if not self.asks:
                    return
                self._ask(question)
            time.sleep(LOOK_EVERY)

    def _asked(self, goal: Goal) -> Question | None:
        """Return a question for which the whole goal waits."""
        if goal.status != GoalStatus.WAITING:
            return None
        with pooled():
            return Question.objects.open().filter(goal=goal).first()

    def _ask(self, question: Question) -> None:
        try:
            ask(self.person, question, self.follower)
        except EOFError:
            self.asks = False

    def _look(self) -> Goal:
        """Show what is new and return the goal as it stands; a database that is away is waited for."""
        give_up_at = time.monotonic() + PATIENCE
        while True:
            try:
                return self._read()
            except AWAY as error:
                if self.over.is_set() or time.monotonic() > give_up_at:
                    raise GoalError(f"the database is away; goal {self.goal_id} is kept in it") from error
                time.sleep(1)

    def _read(self) -> Goal:
        with pooled():
            goal = Goal.objects.get(pk=self.goal_id)
            while fresh := events.since(self.goal_id, self.seq):
                for event in fresh:
                    self.follower.event(event, goal)
                    self.seq = event.seq
                self.follower.look(goal)
        return goal
