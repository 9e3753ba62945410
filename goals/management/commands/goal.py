"""`manage.py goal "OBJECTIVE"`: run one goal here, with progress; questions on the terminal."""

import json
import sys
import threading
import time
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string
from rich.console import Console

from goals import answers, events, services
from goals.connections import pooled
from goals.exceptions import AlreadyAnswered, InvalidInput
from goals.management.base import DONE, WAITING, GoalsiteCommand, pairs
from goals.management.following import JsonFollower, TextFollower, exit_code
from goals.models import Goal, Question
from goals.states import GoalStatus
from goals.tasks import Slice

LOOK_EVERY = 0.1


class Command(GoalsiteCommand):
    help = "Run one goal here, with progress; questions are asked on the terminal."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("objective")
        parser.add_argument("--workspace", metavar="DIR", help="the folder to work in")
        parser.add_argument("--sop", default="", metavar="SLUG", help="follow this procedure")
        parser.add_argument("--verifier", metavar="JSON", help="what decides that the goal is met")
        parser.add_argument("--limit", action="append", metavar="RESOURCE=AMOUNT", help="as in cost_usd=1")
        parser.add_argument("--answer", action="append", metavar="KEY=VALUE", help="answer a question beforehand")
        parser.add_argument("--approve", action="store_true", help="approve and confirm all that would be asked")
        parser.add_argument("--detach", action="store_true", help="leave it to the site's workers")
        parser.add_argument("--json", action="store_true", help="one JSON object a line")

    def handle(self, **options: Any) -> None:
        person = import_string(settings.GOALSITE_OPERATOR)()
        goal = self._submit(person, options)
        follower = self._follower(options)
        if options["detach"]:
            follower.message(f"goal {goal.pk} is left to the site's workers")
            follower.end(goal)
            sys.exit(DONE)
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
        )

    def _follower(self, options: dict[str, Any]) -> JsonFollower | TextFollower:
        if options["json"]:
            return JsonFollower(sys.stdout)
        return TextFollower(Console(file=sys.stdout, soft_wrap=True))


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

    def to_its_end(self) -> int:
        """Follow until the goal has ended or only a person can move it; returns the exit code."""
        thread = threading.Thread(target=self._drive, name="driver")
        thread.start()
        try:
            goal = self._follow()
        except KeyboardInterrupt:
            self.follower.message(f"stopping; the goal is kept: manage.py resume_goals {self.goal_id}")
            goal = None
        finally:
            self.over.set()
            thread.join()
        goal = self._look()
        self.follower.end(goal)
        return exit_code(goal) if goal.is_ended else WAITING

    def _drive(self) -> None:
        while not self.over.is_set():
            Slice(self.over.is_set, only=[self.goal_id]).run()

    def _follow(self) -> Goal:
        while True:
            goal = self._look()
            if goal.is_ended or goal.status == GoalStatus.PAUSED:
                return goal
            question = Question.objects.open().filter(goal=goal).first()
            if question is not None and goal.status == GoalStatus.WAITING:
                if not self.asks:
                    return goal
                self._ask(question)
            time.sleep(LOOK_EVERY)

    def _look(self) -> Goal:
        """Show what is new and return the goal as it stands."""
        with pooled():
            goal = Goal.objects.get(pk=self.goal_id)
            while fresh := events.since(self.goal_id, self.seq):
                for event in fresh:
                    self.follower.event(event, goal)
                self.seq = fresh[-1].seq
        return goal

    def _ask(self, question: Question) -> None:
        """Ask until the answer fits; a suggestion may be chosen by its number."""
        for number, suggestion in enumerate(question.suggestions, 1):
            self.follower.message(f"  {number}. {suggestion}")
        while True:
            try:
                said = input("> ").strip()
            except EOFError:
                self.asks = False
                return
            if said.isdigit() and 1 <= int(said) <= len(question.suggestions):
                said = question.suggestions[int(said) - 1]
            try:
                answers.answer(self.person, question.pk, said, channel="terminal")
                return
            except InvalidInput as error:
                self.follower.message(str(error))
            except AlreadyAnswered as error:
                self.follower.message(str(error))
                return
