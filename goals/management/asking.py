"""Asking a person at the terminal: until the answer fits, or the question was answered elsewhere."""

import select
import sys
from collections.abc import Iterator
from typing import Any

from django.db import OperationalError

from goals import answers
from goals.connections import pooled
from goals.exceptions import AlreadyAnswered, InvalidInput
from goals.management.showing import TextFollower
from goals.management.wording import one_line
from goals.models import Question
from goals.plan_answers import NO
from goals.plan_words import proposals
from goals.states import QuestionStatus

LOOK_EVERY = 0.3


class Elsewhere(Exception):
    """The question was answered or withdrawn meanwhile."""


def ask(person: Any, question: Question, follower: TextFollower) -> None:
    """Ask until the answer fits; a suggestion may be chosen by its number. EOFError when nobody is there."""
    with follower.asking():
        follower.suggest(question)
        if question.is_plan:
            for told in steps_of(question):
                follower.message(f"    {told}")
            follower.message(f"    {how_to_answer(question)}")
        while True:
            try:
                said = chosen(question, line(question))
                if question.is_plan and said.lower() in NO:
                    follower.message("What should be different?")
                    said = {"again": line(question)}
                with pooled():
                    answers.answer(person, question.pk, said, channel="terminal")
                return
            except InvalidInput as error:
                for text in error.errors.values():
                    follower.message(f"  this answer {text}")
            except (Elsewhere, AlreadyAnswered):
                follower.message("(answered elsewhere)")
                return


def how_to_answer(question: Question) -> str:
    """Return what can be said of a plan that waits."""
    count = len(question.details["plans"])  # type: ignore[index]
    yes = "y" if count == 1 else f"1 to {count}"
    return f"{yes} to carry it out, n and what should be different to ask again (to edit it: the page or the API)"


def steps_of(question: Question) -> Iterator[str]:
    """Yield the steps of a plan that waits, each with what it does and when it is done."""
    found = proposals(question.details)  # type: ignore[arg-type]
    for proposal in found:
        if len(found) > 1:
            yield f"plan {proposal.number}"
        for step in proposal.steps:
            tools = f": {', '.join(step.tools)}" if step.tools else ""
            yield f"{step.number}. {one_line(step.title)} ({step.does}{tools})"
            if step.criteria:
                yield f"   done when: {one_line(step.criteria)}"
            yield from (f"   checked: {one_line(check)}" for check in step.checks)


def chosen(question: Question, said: str) -> str:
    """Return what was said, or the suggestion whose number it is."""
    if said.isdecimal() and 1 <= int(said) <= len(question.suggestions):
        return question.suggestions[int(said) - 1]
    return said


def line(question: Question) -> str:
    """Read one line from the terminal; raises EOFError, or Elsewhere as soon as the question is closed."""
    print("> ", end="", flush=True)
    while not select.select([sys.stdin], [], [], LOOK_EVERY)[0]:
        if not is_open(question):
            print()
            raise Elsewhere
    read = sys.stdin.readline()
    if not read:
        raise EOFError
    return read.strip()


def is_open(question: Question) -> bool:
    try:
        with pooled():
            return Question.objects.filter(pk=question.pk, status=QuestionStatus.OPEN).exists()
    except OperationalError:
        return True  # the database is away; whoever follows the goal says so
