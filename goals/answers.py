"""Answering questions: the first answer wins, from any channel, and every channel sees it."""

from typing import Any

import jsonschema
from django.core.exceptions import ValidationError
from django.utils import timezone

from goals import plan_answers, seeing, validation
from goals.decisions import Failure, FailureKind, Move
from goals.effects import approval, ledger
from goals.effects.making import add_message, make_artifact
from goals.exceptions import AlreadyAnswered, InvalidInput, NotAllowed, NotFound
from goals.models import Question, Role, Subgoal, ToolCall
from goals.plan_answers import NO, YES
from goals.states import (
    EffectStatus,
    GoalStatus,
    Kind,
    PauseReason,
    Predicate,
    QuestionKind,
    QuestionStatus,
    SubgoalStatus,
)
from goals.transitions import Writer, writing

RECOVERIES = ("happened", "did_not_happen", "give_up")
ONLY_CHOICE = "only_choice"
OPEN_EFFECT = [EffectStatus.INTENDED, EffectStatus.UNKNOWN]


def find(user: Any, question_id: Any) -> Question:
    """Return a question of a goal that this person may see; raises NotFound."""
    try:
        question = Question.objects.select_related("goal").get(pk=question_id)
    except (Question.DoesNotExist, ValidationError, ValueError, TypeError):
        question = None
    if question is None or not seeing.may_see(user, question.goal):
        raise NotFound(f"there is no question {str(question_id)[:80]}")
    return question


def to_answer(user: Any, question_id: Any) -> Question:
    """Return a question that this person may answer; raises NotFound, or NotAllowed when they may only look at it."""
    question = find(user, question_id)
    if not seeing.may_move(user, question.goal):
        raise NotAllowed("this goal is shared with you to look at; its owner and operators answer")
    return question


def answer(user: Any, question_id: Any, value: Any, *, channel: str = "api") -> Question:
    """Answer an open question; raises InvalidInput (the question stays open), AlreadyAnswered or NotAllowed."""
    question = to_answer(user, question_id)
    understood = understand(question, value)
    with writing(question.goal_id, actor=user) as writer:
        question = (
            Question.objects.select_for_update(of=("self",)).select_related("subgoal", "tool_call").get(pk=question.pk)
        )
        if question.status != QuestionStatus.OPEN:
            who = question.answered_by.get_username() if question.answered_by else "somebody"
            raise AlreadyAnswered(f"the question was {question.status} already, by {who}")
        _close(writer, question, understood, user, channel)
    return question


def apply_prior(writer: Writer, question: Question) -> bool:
    """Answer a question that has just been asked with what its goal's owner said beforehand; False where none fits."""
    goal = writer.goal
    prior = goal.options.get("answers", {})
    if question.key in prior:
        value = prior[question.key]
    elif goal.auto_approve and question.kind == QuestionKind.CONFIRMATION:
        value = True
    else:
        return False
    try:
        understood = understand(question, value)
    except InvalidInput as error:
        reason = f"the answer that was given beforehand: {error.errors['answer']}"
        writer.event("question.reminded", {"question": str(question.pk), "reason": reason})
        return False
    _close(writer, question, understood, goal.owner, "beforehand")
    return True


def take_only_choice(writer: Writer, question: Question) -> bool:
    """Answer a question that has just been asked with its only suggestion; False where there are more, or none."""
    if len(question.suggestions) != 1:
        return False
    _close(writer, question, understand(question, question.suggestions[0]), None, ONLY_CHOICE)
    return True


def _close(writer: Writer, question: Question, understood: Any, user: Any, channel: str) -> None:
    question.status, question.answer, question.closed_at = QuestionStatus.ANSWERED, understood, writer.now
    question.answered_by, question.channel = user, channel
    question.save(update_fields=["status", "answer", "closed_at", "answered_by", "channel"])
    payload = {"question": str(question.pk), "kind": question.kind, "answer": understood, "channel": channel}
    writer.event("question.answered", payload)
    _apply(writer, question, understood)
    go_on(writer, question.subgoal)


def understand(question: Question, value: Any) -> Any:
    """Return the answer as it is stored; raises InvalidInput that says what is allowed."""
    value = validation.json_value("answer", value)
    if question.is_plan:
        return plan_answers.understand(question, value)
    if question.kind in {QuestionKind.CONFIRMATION, QuestionKind.APPROVAL}:
        return _yes_or_no(value)
    if question.kind == QuestionKind.RECOVERY:
        if value not in RECOVERIES:
            raise InvalidInput({"answer": f"must be one of {', '.join(RECOVERIES)}"})
        return value
    if value is None or (isinstance(value, str) and not value.strip()):
        raise InvalidInput({"answer": "must not be empty"})
    if question.schema:
        value = _fitting(question, value)
    return value.strip() if isinstance(value, str) else value


def _yes_or_no(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().lower().rstrip(".!") if isinstance(value, str) else ""
    if word in YES | NO:
        return word in YES
    raise InvalidInput({"answer": "must be yes or no"})


def _fitting(question: Question, value: Any) -> Any:
    """Return the value if it fits the question's schema; else the number that it says, or the suggestion it counts."""
    schema, candidates = question.schema, [value]
    kind = schema.get("type")  # a list of types is allowed, too
    if isinstance(value, str) and kind in ("number", "integer"):
        try:
            candidates.append(int(value) if kind == "integer" else float(value))
        except ValueError:
            pass
    counted = {str(number): suggestion for number, suggestion in enumerate(question.suggestions, 1)}
    candidates += [suggestion for number, suggestion in counted.items() if number == str(value).strip()]
    problem = ""
    for candidate in candidates:
        try:
            jsonschema.validate(candidate, schema, format_checker=jsonschema.FormatChecker())
        except jsonschema.ValidationError as error:
            problem = problem or error.message[:500]
        else:
            return validation.json_value("answer", candidate)
    raise InvalidInput({"answer": f"does not fit: {problem}"})


def _apply(writer: Writer, question: Question, value: Any) -> None:
    """Turn an answer into evidence, or into a refusal."""
    subgoal = question.subgoal
    if subgoal is not None:
        writer.know(subgoal)
        writer.facts(subgoal, asked=False)
    if question.is_plan:
        approval.apply(writer, question, value)
    elif question.kind == QuestionKind.RECOVERY:
        _settle_lost(writer, question, value)
    elif value is False and question.kind in {QuestionKind.CONFIRMATION, QuestionKind.APPROVAL}:
        _refuse(writer, subgoal, f"a person said no: {question.prompt[:500]}")
    elif question.kind != QuestionKind.APPROVAL and question.key:
        make_artifact(
            writer,
            question.key,
            type="file" if question.wants_file else "data",
            value=value,
            description=question.prompt[:2000],
            purpose="answered by a person",
            metadata={"question": str(question.pk)},
            trust="person",
        )
        if subgoal is not None and subgoal.predicate in {Predicate.GATHER_INFO, Predicate.CONFIRM}:
            writer.facts(subgoal, worked=True, result={"text": str(value), "evidence": question.key})


def _refuse(writer: Writer, subgoal: Subgoal | None, message: str) -> None:
    if subgoal is not None:
        writer.facts(subgoal, failure=Failure(FailureKind.REFUSED, message, retryable=False))


def _settle_lost(writer: Writer, question: Question, value: str) -> None:
    """Write what a person says became of a call; a call that was settled meanwhile keeps its own outcome."""
    call = question.tool_call
    if call is None:
        return
    happened = value == "happened"
    columns = {
        "status": EffectStatus.SUCCEEDED if happened else EffectStatus.FAILED,
        "response": {"value": None, "summary": "a person says that it happened"} if happened else None,
        "error": "" if happened else "a person says that it did not happen",
        "finished_at": writer.now,
    }
    if ToolCall.objects.filter(pk=call.pk, status__in=OPEN_EFFECT).update(**columns):
        ledger.settle(writer.goal, call.reserved, {})
    if value == "give_up":
        _refuse(writer, question.subgoal, f"given up by a person after a lost call of {call.tool}")


def go_on(writer: Writer, subgoal: Subgoal | None) -> None:
    """Bring a subgoal back from its wait, and its goal with it: also one that was paused for want of an answer."""
    if subgoal is not None and subgoal.status == SubgoalStatus.WAITING:
        writer.move(Move(Kind.SUBGOAL, subgoal.pk, SubgoalStatus.WAITING, SubgoalStatus.ACTIVE, {"wake_at": None}))
    goal = writer.goal
    if goal.status == GoalStatus.WAITING:
        facts = {"wake_at": None, "waits_for": ""}
        writer.move(Move(Kind.GOAL, goal.pk, GoalStatus.WAITING, GoalStatus.ACTIVE, facts))
    if goal.status == GoalStatus.PAUSED and goal.paused_for == PauseReason.APPROVAL:
        facts = {"wake_at": None, "reason": ""}
        payload = {"reason": "the answer came"}
        writer.move(Move(Kind.GOAL, goal.pk, GoalStatus.PAUSED, GoalStatus.ACTIVE, facts, "goal.resumed", payload))
    writer.wakes_workers = True


def withdraw_moot() -> int:
    """Withdraw recovery questions whose call was settled after all; returns how many."""
    moot = Question.objects.open().filter(kind=QuestionKind.RECOVERY).exclude(tool_call__status__in=OPEN_EFFECT)
    questions = list(moot.values_list("pk", "goal_id")[:100])
    for question_id, goal_id in questions:
        with writing(goal_id) as writer:
            question = Question.objects.select_for_update(of=("self",)).select_related("subgoal").get(pk=question_id)
            if question.status == QuestionStatus.OPEN:
                withdraw(writer, question, "its call was settled")
    return len(questions)


def withdraw(writer: Writer, question: Question, reason: str) -> None:
    """Take back an open question that nobody need answer any more; what waited for it goes on."""
    question.status, question.closed_at = QuestionStatus.WITHDRAWN, writer.now
    question.save(update_fields=["status", "closed_at"])
    writer.event("question.withdrawn", {"question": str(question.pk), "reason": reason})
    if question.subgoal is not None:
        writer.know(question.subgoal)
        writer.facts(question.subgoal, asked=False)
    go_on(writer, question.subgoal)


def note_answer(question: Question, user: Any, text: str) -> None:
    """Show a person's answer in the conversation; it is understood already, so nobody interprets it again."""
    if question.goal.conversation_id:
        add_message(
            question.goal.conversation_id,
            role=Role.USER,
            content=text,
            goal=question.goal,
            question=question,
            author=user,
            interpreted_at=timezone.now(),
        )
