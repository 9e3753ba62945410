"""A span as it is drawn from a row, before any SDK has seen it."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

Value = str | bool | int | float | tuple[str, ...]
ERROR_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.]{2,60}(?=:|$)")
OTHER = "_OTHER"  # the conventions' word for an error without a name
LONGEST = 500


@dataclass(frozen=True)
class Moment:
    """What happened within a span."""

    name: str
    at: datetime
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Drawn:
    """One span of a goal's trace; `row` and `parent` are rows' ids, the parent None for the goal itself."""

    goal: UUID
    row: UUID
    parent: UUID | None
    name: str
    start: datetime
    end: datetime
    attributes: Mapping[str, Value | None]
    calls_out: bool = False  # to another process
    error: str | None = None  # None: none; empty: one that says nothing
    moments: tuple[Moment, ...] = ()
    linked: UUID | None = None  # the goal whose work made this one


def trace_id(goal: UUID) -> int:
    """The trace of a goal: its own id."""
    return goal.int


def span_id(row: UUID) -> int:
    """The span of a row: the same for ever."""
    return int.from_bytes(hashlib.sha256(row.bytes).digest()[:8], "big") or 1


def error_type(error: str) -> str:
    """A name for a class of errors: the word that an error begins with, when it is one."""
    found = ERROR_NAME.match(error)
    return found.group() if found else OTHER


def known(attributes: Mapping[str, Any]) -> dict[str, Value]:
    """The attributes that say something, texts cut to what a backend takes."""
    said = {name: value for name, value in attributes.items() if value not in (None, "", ())}
    return {name: value[:LONGEST] if isinstance(value, str) else value for name, value in said.items()}
