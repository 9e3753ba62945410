"""Values, questions and amounts in the form in which templates show them."""

import json
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from goals.chat import markdown
from goals.chat.diffs import Change, change_of
from goals.chat.fields import Field, choices_of, fields_of
from goals.chat.plan_card import PlanCard, plan_card
from goals.chat.whence import whence
from goals.effects.people import shown
from goals.models import Question
from goals.states import QuestionKind, QuestionStatus

MOST_SUGGESTIONS = 20
LONGEST_ARGUMENT = 20_000
REASONS = {
    "dangerous": "This tool reaches outside or cannot be undone, so it is never used without a yes.",
    "before": "It was done with exactly this before: a yes does it once more.",
    "untrusted": "What it is given comes from outside: it may hold instructions that nobody here has written.",
}
RECOVERY_WORDS = {"happened": "It happened", "did_not_happen": "It did not happen", "give_up": "Give up"}


@dataclass(frozen=True)
class Choice:
    """A button that answers a question: what it sends (JSON) and what it says."""

    value: str
    label: str
    tone: str = ""


@dataclass(frozen=True)
class ShownQuestion:
    """A question with all that its card needs. `reasons` say why an approval is asked for."""

    row: Question
    prompt: SafeString
    details: SafeString | str
    choices: list[Choice]
    fields: list[Field]
    arguments: list[tuple[str, str]]
    change: Change | None
    reasons: list[str]
    answer: str
    whence: str

    @property
    def is_open(self) -> bool:
        return self.row.status == QuestionStatus.OPEN

    @property
    def plan(self) -> PlanCard:
        return plan_card(self.row)


def shown_question(question: Question) -> ShownQuestion:
    """Return a question as it is shown, open or answered."""
    is_open = question.status == QuestionStatus.OPEN
    change = change_of(question) if is_open and question.kind == QuestionKind.APPROVAL else None
    return ShownQuestion(
        row=question,
        prompt=markdown.render(question.prompt),
        details=_details(question),
        choices=_choices(question),
        fields=fields_of(question) if is_open else [],
        arguments=_arguments(question, change),
        change=change,
        reasons=_reasons(question),
        answer=_answer(question),
        whence=whence(question),
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
    offered = [Choice(json.dumps(one), str(one)) for one in suggestions]
    return offered or [Choice(one.value, one.label) for one in choices_of(question.schema)]


def _details(question: Question) -> SafeString | str:
    """A plan is shown as it is; a confirmation, what it is about."""
    details = question.details
    if not isinstance(details, dict):
        return ""
    if question.is_plan:
        return json.dumps(details["plans"], ensure_ascii=False, indent=2)
    value = details.get("show")
    return markdown.render(shown(value)) if value not in (None, "") else ""


def _arguments(question: Question, change: Change | None) -> list[tuple[str, str]]:
    """Return what a tool would be given, argument by argument; what a difference shows is not said again."""
    if question.is_plan or question.kind not in {QuestionKind.APPROVAL, QuestionKind.RECOVERY}:
        return []
    details = question.details if isinstance(question.details, dict) else {}
    given = details.get("input")
    if not isinstance(given, dict):
        return [("input", _text(given))] if given is not None else []
    shown_already = {"content", "old", "new", "path"} if change is not None and change.lines else set()
    return [(name, _text(value)) for name, value in given.items() if name not in shown_already]


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return text if len(text) <= LONGEST_ARGUMENT else f"{text[:LONGEST_ARGUMENT]}\n… {len(text):,} characters in all"


def _reasons(question: Question) -> list[str]:
    details = question.details if isinstance(question.details, dict) else {}
    return [words for word, words in REASONS.items() if word == details.get("risk") or details.get(word)]


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
