"""What a slash command is: one line of the catalogue, and the function that carries it out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from goals.models import Conversation, Goal

Said = tuple[str, Goal | None]


@dataclass(frozen=True)
class Command:
    """What to write (the page begins with `name`), what it does, and who does it.

    `run` takes the person, the conversation and what follows the first word.
    """

    name: str
    usage: str
    description: str
    run: Callable[[Any, Conversation, str], Said]
