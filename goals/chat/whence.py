"""Who answered a question and how, in words; what somebody is told who came too late."""

from typing import Any

from goals.answers import ONLY_CHOICE
from goals.models import Question
from goals.states import QuestionStatus

HERE = {"", "chat", "page", "socket"}
PAGE = {"page": "on the page", "chat": "in the conversation", "socket": "on the page"}


def whence(question: Question) -> str:
    """Say who answered, where it was not the goal's owner on this page."""
    if question.channel == "beforehand":
        return "said beforehand"
    if question.channel == ONLY_CHOICE:
        return "the only choice"
    who = question.answered_by
    if question.channel in HERE and (who is None or who.pk == question.goal.owner_id):
        return ""
    return f"{who.get_username() if who else 'somebody'} {_how(question)}".strip()


def told_of(question: Question, user: Any) -> str:
    """Return what a person is told whose answer came after another."""
    if question.status == QuestionStatus.WITHDRAWN:
        return "This is no longer needed: the question was withdrawn meanwhile."
    who = question.answered_by
    if who is None:
        return "This was answered already."
    if who.pk == user.pk:
        return f"You have answered this already, {_how(question)}."
    return f"{who.get_username()} was faster and answered this {_how(question)}. Their answer stands."


def _how(question: Question) -> str:
    return PAGE.get(question.channel, f"by {question.channel}" if question.channel else "")
