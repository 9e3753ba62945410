"""What a rule answers: a typed reply, plain text, or tool calls."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Typed:
    """Becomes a message whose content is this as JSON."""

    value: dict[str, Any]


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Calls:
    """Tool calls: (tool's name, arguments)."""

    calls: tuple[tuple[str, dict[str, Any]], ...]


Reply = Typed | Text | Calls
