"""Asking the model for a plan until it can be followed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from goals import plans
from goals.connections import pooled
from goals.driver import Drive
from goals.effects import briefing
from goals.effects.calls import Call, ask, recording
from goals.models import Goal

PLAN_TRIES = 3


@dataclass(frozen=True)
class Draft:
    """A planner's last word: its call, what a plan says of its source, and what is wrong with the plan.

    It was made for this `reason` (of a revision), knowing the first `words` words of steering. With errors the call is
    recorded already. A plan of no checkpoints says that there is none.
    """

    call: Call
    provenance: dict[str, Any]
    errors: list[str]
    reason: str
    words: int

    @property
    def is_plan(self) -> bool:
        return not self.errors and bool(self.call.value.checkpoints)


def draft(
    drive: Drive,
    purpose: str,
    tell: Callable[[Goal], dict[str, Any]],
    *,
    others: Sequence[Sequence[str]] = (),
    first: int = 0,
) -> Draft:
    """Ask for a plan, and again with the list of its errors, `PLAN_TRIES` times in all.

    `others` are the titles of plans that exist already, which this one must not repeat; `first` numbers the askings.
    """
    errors: list[str] = []
    for number in range(first, first + PLAN_TRIES):
        goal = drive.goal
        reason, words = goal.revise_reason, goal.words
        with pooled():
            told = tell(goal)
            provenance = _provenance(goal)
        call = ask(drive, purpose, number=number, errors=errors, others=[list(titles) for titles in others], **told)
        errors = _errors(drive, call, others) if call.value.checkpoints else []
        if not errors:
            break
        with recording(drive, call):
            pass
    return Draft(call, provenance, errors, reason, words)


def titles_of(drafts: Sequence[Any]) -> list[str]:
    return [draft.title for draft in drafts]


def _errors(drive: Drive, call: Call, others: Sequence[Sequence[str]]) -> list[str]:
    drafts = call.value.checkpoints
    with pooled():
        errors = plans.checkpoint_errors(drafts, drive.goal)
    same = [number for number, titles in enumerate(others, 1) if list(titles) == titles_of(drafts)]
    return [*errors, *(f"it is plan {number} of `others` again; another way is wanted" for number in same)]


def _provenance(goal: Goal) -> dict[str, Any]:
    """Return what a plan says of its source; a planner that was shown content from outside may repeat it."""
    return {"source": "model", "untrusted": True} if briefing.carries_outside(goal) else {"source": "model"}
