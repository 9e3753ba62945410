"""Slash commands: what a person can say that needs no model. The catalogue is data, for the page and the API."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from goals import services
from goals.chat.standing import current_goal, goal_in_words
from goals.effects.making import add_message
from goals.exceptions import GoalError, InvalidInput
from goals.models import Conversation, Goal, Role
from goals.states import Mode

CLEAR = ("clear", "stop", "off", "cancel", "reset", "none")
SPEC_FIELDS = ("condition", "verifier", "mode", "no_progress_limit")
MOST_NO_PROGRESS = 100


@dataclass(frozen=True)
class Command:
    """One line of the catalogue: what to write, and what it does."""

    name: str
    usage: str
    description: str


CATALOGUE = (
    Command("/goal", "/goal TEXT", "Set a goal in your words, without a model reading them first."),
    Command(
        "/goal",
        '/goal {"condition": "…", "verifier": {…}, "mode": "drive", "no_progress_limit": 3}',
        "Set a goal with a verifier, a mode (drive or monitor) and its patience.",
    ),
    Command("/goal", "/goal", "Say how the goal of this conversation stands."),
    Command("/goal clear", "/goal clear", f"Cancel the goal of this conversation (also {', '.join(CLEAR[1:])})."),
    Command("/help", "/help", "List the commands."),
)


def catalogue() -> list[dict[str, str]]:
    """Return the commands as JSON: name, usage, description."""
    return [{"name": one.name, "usage": one.usage, "description": one.description} for one in CATALOGUE]


def is_command(content: str) -> bool:
    """Whether a message is a command; a path like /etc/hosts is none."""
    word = content.lstrip().split(maxsplit=1)[0] if content.strip() else ""
    return word.startswith("/") and word.count("/") == 1 and word[1:].isalpha()


def run(user: Any, conversation: Conversation, content: str) -> None:
    """Carry out a command and answer in the conversation; what was refused is said there, field by field."""
    word, _, rest = content.strip().partition(" ")
    known: dict[str, Callable[..., tuple[str, Goal | None]]] = {"/goal": _goal, "/help": _help}
    try:
        with transaction.atomic():
            if word not in known:
                raise InvalidInput({"command": f"there is no {word[:40]}; there are {', '.join(sorted(known))}"})
            said, goal = known[word](user, conversation, rest.strip())
        role = Role.ASSISTANT
    except GoalError as error:
        said, goal, role = told(error), None, Role.SYSTEM
    add_message(conversation.pk, role=role, content=said, goal=goal)


def told(error: GoalError) -> str:
    """Return what was refused as a person reads it."""
    if isinstance(error, InvalidInput):
        return "\n".join(f"**{name}**: {text}" for name, text in error.errors.items())
    return str(error)


def _help(user: Any, conversation: Conversation, rest: str) -> tuple[str, None]:
    lines = "\n".join(f"- `{one.usage}`: {one.description}" for one in CATALOGUE)
    return f"Write what you want done, answer a question, or use a command:\n\n{lines}", None


def _goal(user: Any, conversation: Conversation, rest: str) -> tuple[str, Goal | None]:
    if not rest:
        return _status(conversation)
    if rest.lower() in CLEAR:
        return _clear(user, conversation)
    goal = services.submit(owner=user, conversation=conversation, **(_spec(rest) if rest[0] == "{" else _plain(rest)))
    return "The goal is set.", goal


def _status(conversation: Conversation) -> tuple[str, Goal | None]:
    goal = current_goal(conversation)
    if goal is None:
        return "There is no goal in this conversation. Write what you want done.", None
    return f"**{goal.objective[:300]}**\n\n{goal_in_words(goal)}", None


def _clear(user: Any, conversation: Conversation) -> tuple[str, None]:
    goal = current_goal(conversation)
    if goal is None or goal.is_ended:
        return "There is no goal under way in this conversation.", None
    services.cancel(user, goal.pk, reason="cancelled by /goal clear")
    return "The goal is cancelled.", None


def _plain(text: str) -> dict[str, Any]:
    return {"objective": text}


def _spec(text: str) -> dict[str, Any]:
    """Return what `submit` takes, from the JSON form of /goal; raises InvalidInput."""
    try:
        given = json.loads(text)
    except ValueError as error:
        raise InvalidInput({"goal": f"is no JSON ({error}); write plain text or {CATALOGUE[1].usage}"}) from None
    if not isinstance(given, dict):
        raise InvalidInput({"goal": "must be an object"})
    allowed = ", ".join(SPEC_FIELDS)
    errors = {str(name)[:60]: f"is unknown; allowed are {allowed}" for name in given.keys() - {*SPEC_FIELDS}}
    patience = given.get("no_progress_limit")
    if patience is not None and (type(patience) is not int or not 1 <= patience <= MOST_NO_PROGRESS):
        errors["no_progress_limit"] = f"must be a whole number from 1 to {MOST_NO_PROGRESS}"
    if not isinstance(given.get("condition"), str) or not given["condition"].strip():
        errors["condition"] = "must be a text that is not empty: what is to be reached"
    if errors:
        raise InvalidInput(errors)
    return {
        "objective": given["condition"],
        "verifier": given.get("verifier"),
        "mode": given.get("mode", Mode.DRIVE),
        "options": {} if patience is None else {"no_progress": patience},
    }
