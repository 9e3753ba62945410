"""What the engine can decide, as values. Pure: the shell carries them out, a test can compare them.

`Move` changes a status (or only facts, when `to` is None), `Spawn` opens an attempt at a checkpoint, and `Perform`
asks the shell for something that may reach outside.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from goals.states import Kind

Id = Hashable


class Action(StrEnum):
    """What a `Perform` asks for. The first group aims at the goal, then checkpoint, then subgoal."""

    PREFLIGHT = "preflight"
    PLAN = "plan"
    REVISE = "revise"
    EVALUATE = "evaluate"
    SUMMARISE = "summarise"
    VERIFY_GOAL = "verify_goal"
    LOOK = "look"
    REMIND_OF_PLAN = "remind_of_plan"
    VERIFY_CHECKPOINT = "verify_checkpoint"
    ATOMIZE = "atomize"
    DECOMPOSE = "decompose"
    USE_TOOL = "use_tool"
    ACT = "act"
    ASK = "ask"
    REMIND = "remind"
    PRESENT = "present"
    AGGREGATE = "aggregate"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class Move:
    """Bring one row from `before` to `to`, set facts on it, and write one event (none when `event` is blank)."""

    kind: Kind
    id: Id
    before: str
    to: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    event: str = ""
    payload: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Spawn:
    """Begin attempt number `attempt` at an active checkpoint: a fresh root subgoal, a cleared verdict."""

    checkpoint: Id
    attempt: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Perform:
    """Ask the shell for an action on one row; its outcome comes back as facts on that row."""

    action: Action
    target: Id


Decision = Move | Spawn | Perform


class FailureKind(StrEnum):
    """Why something failed; the engine retries by it."""

    TOOL = "tool"
    MODEL = "model"
    NOT_DONE = "not_done"
    TIME = "time"
    CONDITION = "condition"
    PLAN = "plan"
    CHILD = "child"
    REFUSED = "refused"
    MISSING_TOOL = "missing_tool"
    INPUT = "input"
    UNACHIEVABLE = "unachievable"
    VERIFIER = "verifier"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure as a value. `retry_after` is in seconds, from whoever refused (an endpoint's Retry-After)."""

    kind: FailureKind
    message: str
    retryable: bool = True
    retry_after: float | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "message": self.message,
            "retryable": self.retryable,
            "retry_after": self.retry_after,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None) -> "Failure | None":
        """Read what `as_json` wrote; None and {} mean that nothing failed."""
        if not data:
            return None
        return cls(FailureKind(data["kind"]), data["message"], data["retryable"], data.get("retry_after"))
