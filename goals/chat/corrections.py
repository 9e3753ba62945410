"""What its author says a message is, where the site took it for something else: no model is asked again.

What the site did about the message is undone as far as it can be, what its author meant is done, and all of it in one
transaction under the message's lock: a second click changes nothing, and of two people at once the first one wins.
"""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.utils import timezone

from goals import announce, answers, attachments, services
from goals.chat import conversations, model_calls, taken
from goals.effects.making import add_message
from goals.exceptions import InvalidInput, NotFound, StaleGoal
from goals.models import Goal, Message, Question, Role, Taken

CHANNEL = "chat"
CHOICES = (Taken.GOAL, Taken.ANSWER, Taken.STEERING, Taken.TALK)


def correct(user: Any, conversation_id: Any, number: Any, kind: Any, *, before: Any, question: Any = None) -> Message:
    """Take a message for what its author says; `before` is what it was taken for when they said so.

    `question` is the id of the one that it answers. Raises InvalidInput, NotFound, StaleGoal, AlreadyAnswered.
    """
    if kind not in CHOICES:
        raise InvalidInput({"as": f"must be one of {', '.join(CHOICES)}"})
    conversation = conversations.find(user, conversation_id)
    with transaction.atomic():
        message = _locked(conversation.pk, number)
        if message.taken_as == kind and question in (None, "", str(message.question_id)):
            return message
        _refuse_stale(message, before)
        problem = UNDO[message.taken_as](user, message)
        APPLY[kind](user, message, question)
        if problem:
            add_message(conversation.pk, role=Role.SYSTEM, content=problem)
        conversations.changed(conversation.pk)
    return message


def _locked(conversation_id: Any, number: Any) -> Message:
    rows = Message.objects.select_for_update(no_key=True, of=("self",)).filter(conversation_id=conversation_id)
    message = rows.select_related("conversation", "goal", "question").filter(number=number, role=Role.USER).first()
    if message is None:
        raise NotFound(f"there is no message {number} of yours in this conversation")
    return message


def _refuse_stale(message: Message, before: Any) -> None:
    if message.interpreted_at is None:
        raise StaleGoal("the message is still being read")
    if message.taken_as == Taken.COMMAND or not (message.taken_as or message.failure):
        raise StaleGoal("the message was not read by the site, so there is nothing to correct")
    if message.taken_as != before:
        raise StaleGoal(f"the message is taken as {Taken(message.taken_as).label} by now")


# -- undoing: each returns what has to stay, in words, or nothing ------------------------------------------------------


def _undo_goal(user: Any, message: Message) -> str:
    goal = message.goal
    if goal is None:
        return ""
    if goal.is_ended:
        return f"The goal “{goal.objective[:200]}” has ended already; what it did stays."
    services.cancel(user, goal.pk, reason="it was not meant as a goal")
    return ""


def _undo_answer(user: Any, message: Message) -> str:
    question = message.question
    if question is None:
        return ""
    return (
        f"The answer to “{question.prompt[:200]}” stays: the goal has it already. If it must not count, say so with "
        "`/steer` or cancel the goal."
    )


def _undo_steering(user: Any, message: Message) -> str:
    goal = message.goal
    if goal is None or services.take_back_steering(user, goal.pk, message.pk):
        return ""
    return f"What was said to the goal “{goal.objective[:200]}” can no longer be taken back."


def _undo_stop(user: Any, message: Message) -> str:
    goal = message.goal
    if goal is None:
        return ""
    if user.has_perm("goals.rearm"):
        services.rearm(user, goal.pk)
        return ""
    return f"The goal “{goal.objective[:200]}” stays cancelled: only an operator can bring it back."


def _undo_nothing(user: Any, message: Message) -> str:
    return ""


UNDO: dict[str, Callable[[Any, Message], str]] = {
    "": _undo_nothing,
    Taken.TALK: _undo_nothing,
    Taken.GOAL: _undo_goal,
    Taken.ANSWER: _undo_answer,
    Taken.STEERING: _undo_steering,
    Taken.STOP: _undo_stop,
}


# -- doing what was meant ----------------------------------------------------------------------------------------------


def _take(
    message: Message, kind: Taken, goal: Goal | None = None, question: Question | None = None, **more: Any
) -> None:
    taken.take(message, kind, goal, question, corrected_at=timezone.now(), failure="", **more)


def _as_goal(user: Any, message: Message, question: Any) -> None:
    goal = services.submit(owner=user, conversation=message.conversation, objective=message.content)
    _take(message, Taken.GOAL, goal)


def _as_answer(user: Any, message: Message, question: Any) -> None:
    asked = Question.objects.open().filter(goal__conversation_id=message.conversation_id)
    found = answers.find(user, question) if question else asked.order_by("-created_at").first()
    if found is None or found.goal.conversation_id != message.conversation_id:
        raise InvalidInput({"question": "no open question of this conversation is meant"})
    answered = answers.answer(user, found.pk, message.content, channel=CHANNEL)
    attachments.give(user, answered.goal, message)
    _take(message, Taken.ANSWER, answered.goal, answered)


def _as_steering(user: Any, message: Message, question: Any) -> None:
    goals = Goal.objects.filter(conversation_id=message.conversation_id, parent=None, status__in=services.UNFINISHED)
    goal = goals.order_by("-created_at").first()
    if goal is None:
        raise InvalidInput({"as": "there is no goal under way that could be steered"})
    services.steer(user, goal.pk, taken.guidance(message), message=message.pk)
    attachments.give(user, goal, message)
    _take(message, Taken.STEERING, goal)


def _as_talk(user: Any, message: Message, question: Any) -> None:
    """Talk is answered, unless it was answered already."""
    if model_calls.has_replied(message):
        _take(message, Taken.TALK)
        return
    _take(message, Taken.TALK, interpreted_at=None, claimed_until=None)
    announce.wake_workers()


APPLY: dict[str, Callable[[Any, Message, Any], None]] = {
    Taken.GOAL: _as_goal,
    Taken.ANSWER: _as_answer,
    Taken.STEERING: _as_steering,
    Taken.TALK: _as_talk,
}
