"""What a message was taken for, as the page says it, with what its author can say it is instead."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from goals.models import Conversation, Goal, Message, Question, Role, Taken
from goals.services import UNFINISHED

MOST_QUESTIONS = 3
LONGEST_PROMPT = 60


@dataclass(frozen=True)
class Choice:
    """One thing that a message can be: what its button sends, and what it says."""

    value: str
    label: str


@dataclass(frozen=True)
class Shown:
    """The line under a message; `open` shows the choices at once."""

    words: str
    choices: list[Choice]
    open: bool


class Choices:
    """The choices for the messages of one page: goals and questions are looked up once for all of them."""

    def __init__(self, conversation: Conversation, messages: Sequence[Message]) -> None:
        self.latest = max((message.number for message in messages if message.role == Role.USER), default=0)
        goals = Goal.objects.filter(conversation=conversation, parent=None, status__in=UNFINISHED)
        self.goals: set[Any] = set(goals.order_by("-created_at").values_list("pk", flat=True)[:20])
        questions = Question.objects.open().filter(goal_id__in=self.goals).order_by("-created_at")
        self.questions = list(questions[:MOST_QUESTIONS]) if self.goals else []

    def of(self, message: Message) -> Shown | None:
        """Return the line for a message; None for one that nobody had to understand, or has not yet."""
        if message.role != Role.USER or message.interpreted_at is None or message.taken_as == Taken.COMMAND:
            return None
        if not message.taken_as and not message.failure:
            return None
        return Shown(_words(message), list(self._others(message)), open=message.number == self.latest)

    def _others(self, message: Message) -> list[Choice]:
        mine = message.goal_id if message.taken_as == Taken.GOAL else None
        found = [] if message.taken_as == Taken.GOAL else [Choice(Taken.GOAL, Taken.GOAL.label)]
        for question in self.questions:
            if question.created_at <= message.created_at and question.goal_id != mine:
                found.append(Choice(f"{Taken.ANSWER}:{question.pk}", f"the answer to “{_short(question.prompt)}”"))
        if message.taken_as != Taken.STEERING and self.goals - {mine}:
            found.append(Choice(Taken.STEERING, Taken.STEERING.label))
        return found if message.taken_as == Taken.TALK else [*found, Choice(Taken.TALK, Taken.TALK.label)]


def _words(message: Message) -> str:
    if not message.taken_as:
        return "Say what it is"
    return f"Taken as {Taken(message.taken_as).label}" + (", as you said" if message.corrected_at else "")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_PROMPT else line[: LONGEST_PROMPT - 1].rstrip() + "…"
