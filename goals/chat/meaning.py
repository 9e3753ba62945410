"""What is done about a message that was understood: within the transaction that says it is interpreted."""

import json
from collections.abc import Sequence
from typing import Any

from django.db import transaction

from goals import answers, attachments, mentions, services
from goals.chat import taken
from goals.chat.commands import told
from goals.chat.setting import Setting
from goals.effects.making import add_message
from goals.exceptions import GoalError
from goals.llm.replies import InterpretMessage
from goals.models import Goal, Message, Question, Role, Taken, ToolCall
from goals.tools.goal_tools import GoalCreate
from goals.transitions import writing

CHANNEL = "chat"
DONE = {"steer": Taken.STEERING, "revise": Taken.STEERING, "cancel": Taken.STOP}


def apply(setting: Setting, meant: InterpretMessage, *, changes: Sequence[ToolCall] = ()) -> None:
    """Do what the message means; what is refused is said in the conversation and changes nothing else.

    With `changes` what the message wants was done already, by these uses of tools, while it was answered.
    """
    if changes:
        taken.take(setting.message, *_done(changes))
        _say(setting, meant.reply or "")
        return
    {
        "new_goal": _new_goal,
        "add_evidence": _add_evidence,
        "abandon_goal": _abandon_goal,
        "continue": _continue,
    }[meant.action](setting, meant)


def _done(changes: Sequence[ToolCall]) -> tuple[Taken, Goal | None]:
    """Return what a message was that the goal tools have carried out."""
    last = changes[-1]
    goal = Goal.objects.filter(pk=(last.response or {}).get("value", {}).get("goal")).first()
    if last.tool == GoalCreate.name:
        return Taken.GOAL, goal
    return DONE.get(last.request["input"].get("action"), Taken.TALK), goal


def say_failure(message_id: Any, problem: str) -> None:
    """Say why a message could not be read, and what to do."""
    message = Message.objects.get(pk=message_id)
    text = (
        f"Your message could not be read: {problem}. Nothing was changed. Try again, answer with the buttons, "
        "or use a command such as `/goal`."
    )
    add_message(message.conversation_id, role=Role.SYSTEM, content=text)


def _new_goal(setting: Setting, meant: InterpretMessage) -> None:
    wish = meant.goal
    objective = wish.gloss if wish else setting.message.content
    context = (wish.context if wish else None) or ""
    try:
        with transaction.atomic():
            goal = services.submit(
                owner=setting.conversation.owner,
                conversation=setting.conversation,
                objective=objective,
                context=context,
            )
            with writing(goal.pk, actor=setting.conversation.owner) as writer:
                mentions.give(writer, setting.conversation.pk, setting.message.content)
    except GoalError as error:
        taken.take(setting.message, Taken.GOAL)
        _say(setting, f"This cannot be a goal.\n\n{told(error)}", role=Role.SYSTEM)
        return
    taken.take(setting.message, Taken.GOAL, goal)
    _say(setting, meant.reply or "I will work on it.", goal=goal)


def _add_evidence(setting: Setting, meant: InterpretMessage) -> None:
    # Goals are locked before the conversation, as everywhere: what there is to say is said last.
    known = [entry for entry in meant.evidence if entry.key in setting.questions]
    refused = [_answer(setting, setting.questions[entry.key], entry.value) for entry in known]
    accepted = [setting.questions[entry.key] for entry, text in zip(known, refused, strict=True) if not text]
    question = accepted[0] if accepted else None
    taken.take(setting.message, Taken.ANSWER, question.goal if question else None, question)
    for text in filter(None, refused):
        _say(setting, text, role=Role.SYSTEM)
    unmatched = [entry.key for entry in meant.evidence if entry.key not in setting.questions]
    if unmatched or not meant.evidence:
        names = ", ".join(unmatched) or "nothing"
        asked = ", ".join(setting.questions) or "nothing"
        _say(setting, f"I understood an answer to {names}, but open is: {asked}.", role=Role.SYSTEM)
    _say(setting, meant.reply or "")


def _answer(setting: Setting, question: Question, value: Any) -> str:
    """Answer a question; returns why not when the value is refused, and then the question stays open."""
    try:
        with transaction.atomic():
            answers.answer(setting.conversation.owner, question.pk, value, channel=CHANNEL)
            attachments.give(setting.conversation.owner, question.goal, setting.message)
    except GoalError as error:
        said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return f"“{said[:300]}” does not answer “{question.prompt[:300]}”\n\n{told(error)}"
    return ""


def _abandon_goal(setting: Setting, meant: InterpretMessage) -> None:
    goal = setting.goal
    taken.take(setting.message, Taken.STOP)
    if goal is None or goal.is_ended:
        _say(setting, meant.reply or "There is no goal under way in this conversation.")
        return
    try:
        with transaction.atomic():
            services.cancel(setting.conversation.owner, goal.pk, reason="given up in the conversation")
    except GoalError as error:
        _say(setting, told(error), role=Role.SYSTEM)
        return
    taken.take(setting.message, Taken.STOP, goal)
    _say(setting, meant.reply or "The goal is cancelled.", goal=goal)


def _continue(setting: Setting, meant: InterpretMessage) -> None:
    """A remark steers the goal under way; a question does not."""
    goal, message = setting.goal, setting.message
    taken.take(message, Taken.TALK)
    if goal is not None and not goal.is_ended and not message.content.rstrip().endswith("?"):
        try:
            with transaction.atomic():
                services.steer(setting.conversation.owner, goal.pk, taken.guidance(message), message=message.pk)
                attachments.give(setting.conversation.owner, goal, message)
                taken.take(message, Taken.STEERING, goal)
        except GoalError as error:
            _say(setting, told(error), role=Role.SYSTEM)
    _say(setting, meant.reply or "")


def _say(setting: Setting, text: str, *, role: Role = Role.ASSISTANT, goal: Goal | None = None) -> None:
    if text:
        add_message(setting.conversation.pk, role=role, content=text, goal=goal)
