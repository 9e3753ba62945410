"""Values, questions and amounts in the form in which templates show them."""

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.safestring import SafeString

from goals.answers import ONLY_CHOICE
from goals.chat import markdown
from goals.chat.plan_card import PlanCard, plan_card
from goals.effects.people import shown
from goals.models import Question
from goals.states import QuestionKind, QuestionStatus, Resource

MOST_SUGGESTIONS = 20
HERE = {"", "chat", "page"}
RECOVERY_WORDS = {"happened": "It happened", "did_not_happen": "It did not happen", "give_up": "Give up"}


@dataclass(frozen=True)
class Choice:
    """A button that answers a question: what it sends (JSON) and what it says."""

    value: str
    label: str
    tone: str = ""


@dataclass(frozen=True)
class ShownQuestion:
    """A question with all that its card needs."""

    row: Question
    prompt: SafeString
    details: SafeString | str
    choices: list[Choice]
    answer: str
    whence: str
    takes_text: bool

    @property
    def is_open(self) -> bool:
        return self.row.status == QuestionStatus.OPEN

    @property
    def plan(self) -> PlanCard:
        return plan_card(self.row)


def shown_question(question: Question) -> ShownQuestion:
    """Return a question as it is shown, open or answered."""
    return ShownQuestion(
        row=question,
        prompt=markdown.render(question.prompt),
        details=_details(question),
        choices=_choices(question),
        answer=_answer(question),
        whence=_whence(question),
        takes_text=question.kind == QuestionKind.INFORMATION or question.is_plan,
    )


def _choices(question: Question) -> list[Choice]:
    if question.is_plan:
        count = len(question.details["plans"])  # type: ignore[index]
        if count == 1:
            return [Choice("true", "Approve", "primary")]
        return [Choice(str(number), f"Plan {number}") for number in range(1, count + 1)]
    if question.kind == QuestionKind.CONFIRMATION:
        return [Choice("true", "Yes", "primary"), Choice("false", "No")]
    if question.kind == QuestionKind.APPROVAL:
        return [Choice("true", "Approve", "primary"), Choice("false", "Refuse")]
    suggestions = question.suggestions[:MOST_SUGGESTIONS]
    if question.kind == QuestionKind.RECOVERY:
        return [Choice(json.dumps(one), RECOVERY_WORDS.get(one, str(one))) for one in suggestions]
    return [Choice(json.dumps(one), str(one)) for one in suggestions]


def _details(question: Question) -> SafeString | str:
    """An approval shows the tool's arguments as they are; a confirmation, what it is about."""
    details = question.details
    if not isinstance(details, dict):
        return ""
    if question.is_plan:
        return json.dumps(details["plans"], ensure_ascii=False, indent=2)
    if question.kind in {QuestionKind.APPROVAL, QuestionKind.RECOVERY}:
        return json.dumps(details.get("input"), ensure_ascii=False, indent=2)
    value = details.get("show")
    return markdown.render(shown(value)) if value not in (None, "") else ""


def _answer(question: Question) -> str:
    if question.status != QuestionStatus.ANSWERED:
        return ""
    if question.is_plan:
        return _answer_of_plan(question.answer)
    if isinstance(question.answer, bool):
        yes, no = ("Approved", "Refused") if question.kind == QuestionKind.APPROVAL else ("Yes", "No")
        return yes if question.answer else no
    if question.kind == QuestionKind.RECOVERY:
        return RECOVERY_WORDS.get(question.answer, str(question.answer))
    return question.answer if isinstance(question.answer, str) else json.dumps(question.answer, ensure_ascii=False)


def _answer_of_plan(answer: dict[str, Any]) -> str:
    if "again" in answer:
        return f"Another one: {answer['again']}"
    return "Approved, as edited" if "plan" in answer else f"Approved: plan {answer['approve']}"


def _whence(question: Question) -> str:
    """Say who answered, where it was not the conversation's owner on this page."""
    if question.channel in HERE:
        return ""
    if question.channel == "beforehand":
        return "said beforehand"
    if question.channel == ONLY_CHOICE:
        return "the only choice"
    who = question.answered_by.get_username() if question.answered_by else "somebody"
    return f"{who} by {question.channel}"


def amount(resource: str, value: Decimal) -> str:
    """Return an amount of a resource as a person reads it."""
    if resource == Resource.COST_USD:
        return f"${value:,.2f}" if value >= 1 or not value else f"${value:.4f}"
    if resource == Resource.SECONDS:
        return duration(float(value))
    return f"{int(value):,}"


def duration(seconds: float) -> str:
    """Return a length of time: 0.4 s, 12 s, 3 min 5 s, 2 h 10 min."""
    if seconds < 10:
        return f"{seconds:.1f} s".replace(".0 s", " s")
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
