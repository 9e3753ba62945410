"""`manage.py goals list|show|tail|…`: see many goals and move them; a running site's workers do the work."""

import sys
from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string
from rich.console import Console

from goals import answers, events
from goals.exceptions import InvalidInput
from goals.management import acting, completing, printing, selecting, tailing
from goals.management.answering import question_of
from goals.management.asking import ask
from goals.management.base import DONE, FAILED, GoalsiteCommand, SubcommandParser
from goals.management.describing import described, lines_of
from goals.management.following import exit_code
from goals.management.listing import facts_of, table_of
from goals.management.moving import Moved, each
from goals.management.showing import TextFollower
from goals.models import Goal

LISTED = 50
LAST = 20


class Command(GoalsiteCommand):
    help = "List, show, follow and move goals; ids may be shortened as long as they are unambiguous."
    moves_goals = True

    def add_arguments(self, parser: Any) -> None:
        acts = parser.add_subparsers(dest="act", required=True, metavar="ACT", parser_class=SubcommandParser)
        self._add_reading(acts)
        for name, one in acting.WHOLESALE.items():
            self._add_wholesale(acts.add_parser(name, help=one.help, description=one.help), one.takes)
        self._add_single(acts)
        completing.add_to(acts)

    def handle(self, *, act: str, **options: Any) -> None:
        printing.use_utf8(as_json=bool(options.get("as_json")))
        if act in completing.ACTS:
            completing.handle(act, options, self.stdout)
            return
        person = import_string(settings.GOALSITE_OPERATOR)()
        if act in acting.WHOLESALE:
            self._wholesale(person, act, options)
        elif act in ("skip", "retry", "edit"):
            self._single(person, act, options)
        else:
            {"list": self._list, "show": self._show, "tail": self._tail, "answer": self._answer}[act](person, options)

    def _add_reading(self, acts: Any) -> None:
        listed = acts.add_parser("list", help="goals in a table, latest first")
        selecting.add_selection(listed)
        listed.add_argument("--most", type=int, default=LISTED, metavar="N", help=f"at most so many ({LISTED})")
        shown = acts.add_parser("show", help="where one goal stands")
        shown.add_argument("goal", metavar="ID")
        tail = acts.add_parser("tail", help="follow a goal's events by their numbers until it has ended")
        tail.add_argument("goal", metavar="ID")
        tail.add_argument("--after", type=int, metavar="SEQ", help=f"begin after this number (else: the last {LAST})")
        tail.add_argument("--once", action="store_true", help="end when all that there is was shown")
        for parser in (listed, shown, tail):
            _add_json(parser)

    def _add_wholesale(self, parser: ArgumentParser, takes: tuple[str, ...]) -> None:
        selecting.add_ids(parser)
        if "text" in takes:
            parser.add_argument("text", metavar="TEXT", help="what is said")
        selecting.add_selection(parser, everything="every goal to which it can be done")
        if "because" in takes:
            parser.add_argument("--because", metavar="TEXT", help="why it is done")
        if "now" in takes:
            parser.add_argument("--now", action="store_true", help="do not await the call in hand")
        _add_dry_run(parser)
        _add_json(parser)

    def _add_single(self, acts: Any) -> None:
        skip = acts.add_parser("skip", help="leave out a step, and say why")
        retry = acts.add_parser("retry", help="begin a step anew: the one at work, or one that failed")
        for parser in (skip, retry):
            parser.add_argument("goal", metavar="ID")
            parser.add_argument("number", metavar="N", help="the step's number, as `goals show` lists them")
        skip.add_argument("text", metavar="REASON")
        retry.add_argument("--because", metavar="TEXT", help="why it is done")
        edit = acts.add_parser("edit", help="change a step or a subgoal that has not begun")
        edit.add_argument("goal", metavar="ID")
        edit.add_argument("what", metavar="N|SUBGOAL", help="the step's number, or the subgoal's id")
        edit.add_argument("changes", nargs="+", metavar="FIELD=VALUE", help='title=… gloss=… args={"…": …}')
        for parser in (skip, retry, edit):
            _add_dry_run(parser)
            _add_json(parser)
        answer = acts.add_parser("answer", help="answer a goal's open question, or choose among its plans")
        answer.add_argument("goal", metavar="ID", help="the goal's id or the question's")
        answer.add_argument("answer", nargs="?", metavar="ANSWER", help="without it, the question is asked here")
        answer.add_argument("--key", help="which one, where several are open")
        _add_json(answer)

    def _list(self, person: Any, options: dict[str, Any]) -> None:
        if options["most"] < 1:
            raise InvalidInput({"--most": "must be 1 or more"})
        rows = selecting.selection(person, options).order_by("-created_at", "-pk")
        self._goals(facts_of(rows[: options["most"]]), options)

    def _goals(self, facts: list[dict[str, Any]], options: dict[str, Any]) -> None:
        if options["as_json"]:
            printing.json_lines(self.stdout, facts)
        else:
            printing.table(self.stdout, *table_of(facts))

    def _show(self, person: Any, options: dict[str, Any]) -> None:
        goal = selecting.goal_of(person, options["goal"])
        if options["as_json"]:
            printing.json_lines(self.stdout, [described(goal)])
        else:
            for line in lines_of(goal):
                self.stdout.write(line)

    def _tail(self, person: Any, options: dict[str, Any]) -> None:
        goal = selecting.goal_of(person, options["goal"])
        after = max(0, goal.seq - LAST) if options["after"] is None else options["after"]
        if after < 0:
            raise InvalidInput({"--after": "must be 0 or more"})
        try:
            for event in tailing.follow(goal, after, once=options["once"]):
                if options["as_json"]:
                    printing.json_lines(self.stdout, [events.frame(event)])
                else:
                    self.stdout.write(tailing.line_of(event))
                self.stdout.flush()
        except KeyboardInterrupt:
            pass
        sys.exit(DONE if options["once"] else exit_code(Goal.objects.get(pk=goal.pk)))

    def _wholesale(self, person: Any, act: str, options: dict[str, Any]) -> None:
        one = acting.WHOLESALE[act]
        goals = selecting.chosen(person, options, among=one.among)
        if more := selecting.beyond(goals):
            self.stderr.write(more)
        self._told(act, each(goals, partial(one.begin(options), person), dry_run=options["dry_run"]), options)

    def _single(self, person: Any, act: str, options: dict[str, Any]) -> None:
        goal, do = {"skip": acting.skip, "retry": acting.retry, "edit": acting.edit}[act](person, options)
        self._told(act, each([goal], do, dry_run=options["dry_run"]), options)

    def _told(self, act: str, moved: list[Moved], options: dict[str, Any]) -> None:
        """Say what became of each; 1 when something was refused."""
        refused = [one for one in moved if one.refused]
        if options["as_json"]:
            printing.json_lines(self.stdout, [one.as_json(act, dry_run=options["dry_run"]) for one in moved])
        else:
            rows = [(one.goal.pk, one.status, one.goal.objective) for one in moved if not one.refused]
            printing.table(self.stdout, ("ID", "STATE", "OBJECTIVE"), rows)
            for one in refused:
                self.stderr.write(f"{one.goal.pk}: {one.refused}")
            if options["dry_run"]:
                self.stdout.write(f"{len(rows)} would be done; nothing was changed")
        sys.exit(FAILED if refused else DONE)

    def _answer(self, person: Any, options: dict[str, Any]) -> None:
        question = question_of(person, options["goal"], options["key"])
        if options["answer"] is None:
            if options["as_json"] or not sys.stdin.isatty():
                raise InvalidInput({"ANSWER": f"is needed; the question is: {question.prompt[:500]}"})
            ask(person, question, _shown(question))
        else:
            answers.answer(person, question.pk, options["answer"], channel="terminal")
        self._goals(facts_of([question.goal]), options)


def _shown(question: Any) -> TextFollower:
    """Show a question, and return what shows the rest of the talk about it."""
    follower = TextFollower(Console(file=sys.stdout, soft_wrap=True))
    follower.message(question.prompt)
    return follower


def _add_json(parser: Any) -> None:
    parser.add_argument("--json", action="store_true", dest="as_json", help="one JSON object a line")


def _add_dry_run(parser: Any) -> None:
    parser.add_argument("--dry-run", action="store_true", help="try it, say what would come of it, and take it back")
