"""The slash command /status: how the goal of a conversation stands, with its steps by their numbers."""

from collections.abc import Iterator
from typing import Any

from goals.chat.amounts import amount
from goals.chat.command import Command, Said
from goals.chat.command_acts import nothing, of
from goals.chat.standing import goal_in_words, why
from goals.effects.ledger import lines_of
from goals.models import Conversation, Goal

MOST_STEPS = 50
UNITS = {"model_calls": " model calls", "tokens": " tokens", "cost_usd": "", "seconds": ""}


def status(user: Any, conversation: Conversation, rest: str) -> Said:
    nothing("/status", rest)
    goal = of(conversation)
    return "\n".join(_lines(goal)), goal


CATALOGUE = (
    Command("/status", "/status", "Say how the goal stands: its steps by their numbers, questions, budget.", status),
)


def _lines(goal: Goal) -> Iterator[str]:
    yield f"**{goal.objective[:300]}**\n\n{goal_in_words(goal)}"
    if why(goal):
        yield f"({why(goal)[:600]})"
    steps = list(goal.checkpoints.order_by("position")[: MOST_STEPS + 1])
    yield ""
    yield from (f"{step.position + 1}. {step.title} ({step.status})" for step in steps[:MOST_STEPS])
    if len(steps) > MOST_STEPS:
        yield "and more steps"
    yield ""
    yield from (f"- waits for an answer: {row.prompt[:300]}" for row in goal.questions.open()[:5])
    yield f"- used: {_used(goal)}"


def _used(goal: Goal) -> str:
    return ", ".join(
        f"{amount(line.resource, line.used)}{UNITS[line.resource]}"
        + ("" if line.limit is None else f" of {amount(line.resource, line.limit)}")
        for line in lines_of(goal)
    )
