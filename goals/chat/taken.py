"""What a person's message was taken for, written on it."""

from typing import Any

from goals.models import Goal, Message, Question, Taken
from goals.services import LONGEST_STEERING


def take(
    message: Message, kind: Taken, goal: Goal | None = None, question: Question | None = None, **columns: Any
) -> None:
    """Say what a message was taken for; `goal` and `question` are those that it then had to do with."""
    columns |= {"taken_as": kind, "goal": goal, "question": question}
    for name, value in columns.items():
        setattr(message, name, value)
    Message.objects.filter(pk=message.pk).update(**columns)


def guidance(message: Message) -> str:
    """Return a message as a word that steers a goal."""
    return message.content[:LONGEST_STEERING]
