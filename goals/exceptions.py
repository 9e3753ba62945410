"""What can go wrong with goals. The docstring is the message where none is given; each says whether to try again."""

from datetime import datetime
from typing import Any


class GoalError(Exception):
    """The root of all errors of this room."""

    def __init__(self, message: str = "", **details: Any) -> None:
        super().__init__(message or (self.__doc__ or "").strip().splitlines()[0])
        self.details = details


class InvalidInput(GoalError):
    """A field was refused. `errors` maps the field's name to what is wrong and what is allowed."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {text}" for name, text in errors.items()), errors=errors)
        self.errors = errors


class NotFound(GoalError):
    """There is no such thing, or it belongs to somebody else."""


class NotAllowed(GoalError):
    """You may not do this."""


class StaleGoal(GoalError):
    """Someone was faster: the goal has changed. Look at it again."""


class IllegalMove(GoalError):
    """The table of moves does not allow this."""


class AlreadyAnswered(StaleGoal):
    """The question was answered already; the first answer wins."""


class LeaseLost(StaleGoal):
    """Another worker drives this goal now."""


class Interrupted(StaleGoal):
    """The goal is not being worked on any more: it was paused, cancelled or ended, or the subgoal was dropped."""


class BudgetExceeded(GoalError):
    """The budget does not allow this; raise the limit to go on."""

    def __init__(self, resource: str, needed: str, left: str) -> None:
        super().__init__(
            f"the budget for {resource} does not allow this: {needed} needed, {left} left; raise the limit to go on",
            resource=resource,
        )
        self.resource = resource


class BudgetHeld(BudgetExceeded):
    """The budget would allow this if the goal's own calls in flight had not reserved what is left."""


class TookTooLong(GoalError):
    """The search took too long and was given up."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"this took more than {seconds:g} s and was given up; ask for less: by status, owner or a range of time"
        )


class Asleep(GoalError):
    """The work sleeps until `wake_at` and loses no attempt."""

    def __init__(self, message: str, wake_at: datetime) -> None:
        super().__init__(message, wake_at=wake_at)
        self.wake_at = wake_at


class BreakerOpen(Asleep):
    """A far side that failed is left alone for a while."""


class StillInFlight(Asleep):
    """The same call was left in flight when the goal was paused, and may yet end."""


class NeedsAnswer(GoalError):
    """The work waits for a person; the question was asked."""
