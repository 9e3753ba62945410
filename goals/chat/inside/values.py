"""Texts and values as they are shown inside a goal: bounded, with a way to the whole."""

import json
from dataclasses import dataclass
from typing import Any

from goals.exceptions import NotFound
from goals.models import Goal

LONGEST = 4_000
LONGEST_LINES = 80


@dataclass(frozen=True)
class Shown:
    """The beginning of a text. `part` is the address of the whole below its owner's, empty where there is none."""

    text: str
    characters: int
    part: str = ""

    @property
    def is_cut(self) -> bool:
        return len(self.text) < self.characters

    def __bool__(self) -> bool:
        return bool(self.characters)


def shown(value: Any, part: str = "", *, most: int = LONGEST) -> Shown:
    """Return a text, or a value as JSON, cut at a line where that is near."""
    text = plain(value)
    lines = text.split("\n", LONGEST_LINES)
    beginning = text if len(lines) <= LONGEST_LINES else "\n".join(lines[:LONGEST_LINES])
    if len(beginning) > most:
        at_line = beginning.rfind("\n", most // 2, most)
        beginning = beginning[: at_line if at_line > 0 else most]
    return Shown(beginning, len(text), part)


def plain(value: Any) -> str:
    """Return a value as a text: a text as it is, none as an empty one, anything else as JSON."""
    return value if isinstance(value, str) else "" if value is None else as_json(value)


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def reread(text: str) -> str:
    """Return JSON that was written as a text in lines of its own; any other text as it is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return plain(value) if isinstance(value, dict | list) else text


def row_of(goal: Goal, rows: Any, row_id: Any) -> Any:
    """Return a row that belongs to this goal; raises NotFound."""
    found = rows.filter(goal=goal, pk=row_id).first()
    if found is None:
        raise NotFound(f"there is no such {rows.model._meta.verbose_name} in this goal")
    return found
