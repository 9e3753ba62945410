"""Slash commands that move the goal of a conversation: each calls the service of its name, as its owner."""

import json
import re
from typing import Any

from goals import answers, checkpoint_acts, services
from goals.chat.command import Command, Said
from goals.chat.standing import current_goal
from goals.exceptions import InvalidInput, StaleGoal
from goals.models import Checkpoint, Conversation, Goal
from goals.states import Resource

CHANNEL = "chat"
RAISE = "/raise RESOURCE +AMOUNT"
EDITABLE = ", ".join(checkpoint_acts.EDITABLE)
AMOUNT = re.compile(r"(\w+)(?:\s+|\s*=\s*)(\S+)")


def of(conversation: Conversation) -> Goal:
    """Return the goal of a conversation; raises StaleGoal."""
    goal = current_goal(conversation)
    if goal is None:
        raise StaleGoal("There is no goal in this conversation. Write what you want done.")
    return goal


def nothing(name: str, rest: str) -> None:
    """Refuse words after a command that takes none."""
    if rest:
        raise InvalidInput({name.lstrip("/"): f"takes nothing after it, not “{rest[:60]}”; write {name}"})


def pause(user: Any, conversation: Conversation, rest: str) -> Said:
    word, _, after = rest.partition(" ")
    now = word.lower() == "now"
    goal = services.pause(user, of(conversation).pk, reason=after if now else rest, now=now)
    return ("The goal is paused; what is in flight is not awaited." if now else "The goal is paused."), goal


def resume(user: Any, conversation: Conversation, rest: str) -> Said:
    nothing("/resume", rest)
    return "The goal goes on.", services.resume(user, of(conversation).pk)


def cancel(user: Any, conversation: Conversation, rest: str) -> Said:
    return "The goal is cancelled.", services.cancel(user, of(conversation).pk, reason=rest)


def rearm(user: Any, conversation: Conversation, rest: str) -> Said:
    nothing("/rearm", rest)
    return "The goal is rearmed: it is planned anew.", services.rearm(user, of(conversation).pk)


def steer(user: Any, conversation: Conversation, rest: str) -> Said:
    _need("text", rest, "/steer keep it under a page")
    return "It will be heeded.", services.steer(user, of(conversation).pk, rest)


def revise(user: Any, conversation: Conversation, rest: str) -> Said:
    _need("reason", rest, "/revise the second source is closed")
    return "A new plan of what remains is asked for.", services.revise(user, of(conversation).pk, rest)


def skip(user: Any, conversation: Conversation, rest: str) -> Said:
    step, reason = _step(conversation, rest, "/skip 2 it was done by hand")
    _need("reason", reason, f"/skip {step.position + 1} it was done by hand")
    return f"Step {step} is skipped.", checkpoint_acts.skip(user, step.goal_id, step.pk, reason)


def retry(user: Any, conversation: Conversation, rest: str) -> Said:
    step, reason = _step(conversation, rest, "/retry 2")
    return f"Step {step} is begun anew.", checkpoint_acts.retry(user, step.goal_id, step.pk, reason)


def edit(user: Any, conversation: Conversation, rest: str) -> Said:
    example = '/edit 2 {"title": "Ask for the day"}'
    step, text = _step(conversation, rest, example)
    try:
        changes = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput({"checkpoint": f"is no JSON ({str(error)[:100]}); write it as in {example}"}) from None
    return f"Step {step.position + 1} is changed.", checkpoint_acts.edit(user, step.goal_id, step.pk, changes)


def raise_limit(user: Any, conversation: Conversation, rest: str) -> Said:
    found = AMOUNT.fullmatch(rest)
    if found is None:
        raise InvalidInput({"limits": f"write {RAISE}, as in /raise cost_usd +5"})
    resource, amount = found.groups()
    if resource not in Resource.values:
        raise InvalidInput({"resource": f"there is no {resource[:40]}; there are {', '.join(Resource.values)}"})
    if not amount.startswith("+"):
        raise InvalidInput({f"limits.{resource}": f"must be an amount to add, as in /raise {resource} +5"})
    goal = of(conversation)
    services.raise_limits(user, goal.pk, {resource: amount})
    return f"The limit of {resource} is raised by {amount[1:]}.", goal


def answer(user: Any, conversation: Conversation, rest: str) -> Said:
    """Answer the oldest open question; a plan that waits, by its number."""
    _need("answer", rest, "/answer Paris")
    goal = of(conversation)
    question = goal.questions.open().first()
    if question is None:
        raise StaleGoal("There is no open question.")
    answers.answer(user, question.pk, rest, channel=CHANNEL)
    return f"Answered: {question.prompt[:300]}", goal


CATALOGUE = (
    Command("/pause", "/pause", "Rest after the call in hand; a reason may follow.", pause),
    Command("/pause now", "/pause now", "Rest at once: the call in hand is not awaited.", pause),
    Command("/resume", "/resume", "Go on where the goal stood.", resume),
    Command("/cancel", "/cancel", "End the goal now; a reason may follow.", cancel),
    Command("/steer", "/steer TEXT", "Say something that enters the next prompt.", steer),
    Command("/revise", "/revise REASON", "Ask for a new plan of what remains.", revise),
    Command("/skip", "/skip N REASON", "Leave out step N, and say why.", skip),
    Command("/retry", "/retry N", "Begin step N anew: the one in hand, or one that failed.", retry),
    Command(
        "/edit", '/edit N {"title": "…"}', f"Change step N, not begun: {', '.join(checkpoint_acts.EDITABLE)}.", edit
    ),
    Command("/raise", RAISE, "Raise a limit, as in /raise cost_usd +5.", raise_limit),
    Command("/answer", "/answer TEXT", "Answer the oldest open question; choose a plan by its number.", answer),
    Command("/rearm", "/rearm", "Bring an ended goal back with a new plan (an operator's act).", rearm),
)


def _step(conversation: Conversation, rest: str, example: str) -> tuple[Checkpoint, str]:
    """Return the step whose number comes first, and what comes after it."""
    number, _, after = rest.partition(" ")
    if not number:
        raise InvalidInput({"checkpoint": f"which step? Write its number, as in {example}; /status lists them"})
    return checkpoint_acts.numbered(of(conversation), number), after.strip()


def _need(name: str, text: str, example: str) -> None:
    if not text:
        raise InvalidInput({name: f"must not be empty; write it as in {example}"})
