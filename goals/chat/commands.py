"""Slash commands: what a person can say that needs no model. The catalogue is data, for the page and the API."""

from typing import Any

from django.db import transaction

from goals.chat import command_acts, command_goal, command_status
from goals.chat.command import Command, Said
from goals.effects.making import add_message
from goals.exceptions import GoalError, InvalidInput
from goals.models import Conversation, Role


def is_command(content: str) -> bool:
    """Whether a message is a command; a path like /etc/hosts is none."""
    word = content.lstrip().split(maxsplit=1)[0] if content.strip() else ""
    return word.startswith("/") and word.count("/") == 1 and word[1:].isalpha()


def run(user: Any, conversation: Conversation, content: str) -> None:
    """Carry out a command and answer in the conversation; what was refused is said there, field by field."""
    word, *rest = content.strip().split(maxsplit=1)
    said, goal, role = "", None, Role.ASSISTANT
    try:
        with transaction.atomic():
            said, goal = _known(word).run(user, conversation, "".join(rest).strip())
    except GoalError as error:
        said, role = told(error), Role.SYSTEM
    add_message(conversation.pk, role=role, content=said, goal=goal)


def catalogue() -> list[dict[str, str]]:
    """Return the commands as JSON: name, usage, description."""
    return [{"name": one.name, "usage": one.usage, "description": one.description} for one in CATALOGUE]


def told(error: GoalError) -> str:
    """Return what was refused as a person reads it."""
    if isinstance(error, InvalidInput):
        return "\n".join(f"**{name}**: {text}" for name, text in error.errors.items())
    return str(error)


def _help(user: Any, conversation: Conversation, rest: str) -> Said:
    lines = "\n".join(f"- `{one.usage}`: {one.description}" for one in CATALOGUE)
    return f"Write what you want done, answer a question, or use a command:\n\n{lines}", None


CATALOGUE = (
    *command_goal.CATALOGUE,
    *command_status.CATALOGUE,
    *command_acts.CATALOGUE,
    Command("/help", "/help", "List the commands.", _help),
)


def _known(word: str) -> Command:
    """Return a command by its name; raises InvalidInput that lists them all."""
    by_name: dict[str, Command] = {one.name.split()[0]: one for one in CATALOGUE}
    if word not in by_name:
        raise InvalidInput({"command": f"there is no {word[:40]}; there are {', '.join(sorted(by_name))}"})
    return by_name[word]
