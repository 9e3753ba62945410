"""What involves a person: questions, reminders, confirmations, and things shown."""

import json
import re
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from artifacts.models import Artifact
from artifacts.resolving import value_of
from artifacts.services import latest, resolve_references
from goals.answers import apply_prior, take_only_choice
from goals.connections import pooled
from goals.decisions import Failure, FailureKind
from goals.driver import Drive
from goals.effects import briefing
from goals.effects.calls import Call, ask, recording
from goals.effects.making import ask_person, note_evidence, say, wait_for_person
from goals.exceptions import StaleGoal
from goals.models import Question, Subgoal
from goals.results import cut
from goals.states import Predicate, QuestionKind
from goals.transitions import Writer

PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_-]*)\}")
LONGEST_SHOWN = 20_000


def ask_question(drive: Drive, subgoal_id: Any) -> None:
    """Perform a `gather_info` or `confirm` subgoal: write the question, then wait. The wording may need the model.

    The args `take_only` (the only suggestion is taken as the answer) and `without` (what is to be said where there is
    no suggestion; it fails then) are for choosing from what is there.
    """
    subgoal = drive.subgoal(subgoal_id)
    confirms = subgoal.predicate == Predicate.CONFIRM
    args = subgoal.args
    with pooled():
        text = filled(drive, str(args.get("question" if confirms else "prompt") or ""))
        suggestions = _suggestions(drive, args.get("suggestions"))
        details = {"show": _resolved(drive, args["show"])} if args.get("show") else None
    if args.get("without") and not suggestions and key_of(subgoal) not in drive.goal.options.get("answers", {}):
        drive.fail(subgoal_id, Failure(FailureKind.INPUT, str(args["without"]), retryable=False))
        return
    calls: list[Call] = []
    if not text:
        calls, text, suggestions = _worded(drive, subgoal, suggestions)
    with recording(drive, *calls) as writer:
        question = ask_person(
            writer,
            QuestionKind.CONFIRMATION if confirms else QuestionKind.INFORMATION,
            text,
            subgoal=subgoal,
            key=key_of(subgoal),
            suggestions=["yes", "no"] if confirms else suggestions,
            schema=args.get("schema"),
            details=details,
        )
        wait_for_person(writer, subgoal)
        if apply_prior(writer, question) or (args.get("take_only") and take_only_choice(writer, question)):
            note_evidence(drive, question.key)


def remind(drive: Drive, subgoal_id: Any) -> None:
    """Remind once of a question that nobody has answered; one that must be answered is given a last term."""
    with drive.writing() as writer:
        subgoal = drive.subgoal(subgoal_id)
        question = Question.objects.open().select_for_update(of=("self",)).filter(subgoal=subgoal).first()
        last_term = _bring_to_mind(writer, question)
        writer.facts(subgoal, wake_at=last_term if question.must_be_answered else None)
        drive.picture.questions[subgoal.pk] = question


def remind_of_plan(drive: Drive, _goal_id: Any) -> None:
    """Remind once of a plan that nobody has answered, and give its question a last term."""
    with drive.writing() as writer:
        question = Question.objects.open().about_plans_of(writer.goal).select_for_update().first()
        writer.facts(writer.goal, plan_wake_at=_bring_to_mind(writer, question))
        drive.picture.plan_question = question


def _bring_to_mind(writer: Writer, question: Question | None) -> datetime:
    """Say that the question is still open, and return when it is no longer waited for."""
    if question is None:
        raise StaleGoal("the question was answered meanwhile")
    question.reminded_at = writer.now
    question.save(update_fields=["reminded_at"])
    about = {"question": str(question.pk), "kind": question.kind, "prompt": question.prompt[:2000]}
    writer.event("question.reminded", about)
    say(writer, f"I still wait for your answer: {question.prompt}")
    return writer.now + timedelta(seconds=settings.GOALSITE_PAUSE_UNANSWERED_AFTER)


def key_of(subgoal: Subgoal) -> str:
    """Return the key under which the answer becomes evidence."""
    return subgoal.evidence_key or str(subgoal.args.get("key") or "answer")


def _worded(drive: Drive, subgoal: Subgoal, suggestions: list[str]) -> tuple[list[Call], str, list[str]]:
    with pooled():
        artifacts = briefing.artifacts_of(drive.goal)
    call = ask(
        drive,
        "gather_question",
        subgoal,
        key=key_of(subgoal),
        prompt=subgoal.gloss,
        artifacts=artifacts,
        suggestions=suggestions,
    )
    return [call], call.value.question, suggestions or list(call.value.suggestions)


def _suggestions(drive: Drive, given: Any) -> list[str]:
    value = _resolved(drive, given) if given else []
    items = value if isinstance(value, list) else [value]
    return [item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in items[:50]]


def _resolved(drive: Drive, value: Any) -> Any:
    return resolve_references(drive.goal.artifact_context_id, value).value


def filled(drive: Drive, text: str) -> str:
    """Fill `{name}` from evidence; a name that is unknown stays as it is. No code is ever run."""
    names = {match.group(1) for match in PLACEHOLDER.finditer(text)}
    known: dict[str, Artifact] = latest(drive.goal.artifact_context_id, names) if names else {}

    def value(match: re.Match[str]) -> str:
        artifact = known.get(match.group(1))
        return match.group(0) if artifact is None else shown(value_of(artifact))

    return PLACEHOLDER.sub(value, text)


def shown(value: Any) -> str:
    """Return a value as a person reads it: text as it is, a list of texts as bullets, an object as a short list."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return "\n".join(f"- {item}" for item in value)
    if isinstance(value, dict) and value and not any(isinstance(item, dict | list) for item in value.values()):
        return "\n".join(f"- **{name}**: {_word(item)}" for name, item in value.items() if item not in ("", None))
    return json.dumps(value, ensure_ascii=False, indent=2)


def _word(item: Any) -> str:
    return {True: "yes", False: "no"}[item] if isinstance(item, bool) else str(item)


def present(drive: Drive, subgoal_id: Any) -> None:
    """Perform a `present_info` subgoal: a message in the conversation (and in the goal's own record)."""
    subgoal = drive.subgoal(subgoal_id)
    data = subgoal.args.get("data")
    with pooled():
        parts = [filled(drive, str(subgoal.args.get("text") or ""))]
        if data is not None:
            parts.append(shown(_resolved(drive, data)))
    content = cut("\n\n".join(part for part in parts if part), LONGEST_SHOWN) or subgoal.gloss
    with drive.writing() as writer:
        say(writer, content)
        kept = {"kept": data} if isinstance(data, str) else {}
        writer.facts(subgoal, worked=True, result={"text": content, **kept})
