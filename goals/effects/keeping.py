"""Keeping what an effect came to where the transaction that was to follow from it could not be carried out.

What was paid for is in this worker's memory alone: when the database is away, it is kept as soon as it is back.
"""

from functools import partial

from goals.connections import pooled
from goals.driver import Drive
from goals.effects import journal
from goals.effects.journal import Outcome
from goals.exceptions import GoalError
from goals.models import ModelCall, ToolCall
from goals.outages import outlast

Outcomes = list[tuple[ModelCall | ToolCall, Outcome]]


def keep_alone(drive: Drive, outcomes: Outcomes) -> None:
    """Record outcomes without what was to follow from them; a worker whose lease is gone records them late."""
    for row, outcome in outcomes:
        outlast(partial(_keep, drive, row, outcome))


def keep_late(outcomes: Outcomes) -> None:
    """Record outcomes of a worker that may move nothing any more."""
    for row, outcome in outcomes:
        outlast(partial(_keep_late, row, outcome))


def _keep(drive: Drive, row: ModelCall | ToolCall, outcome: Outcome) -> None:
    with pooled():
        if journal.is_recorded(row, outcome):
            return
    try:
        with drive.writing() as writer:
            journal.record(writer, row, outcome)
    except GoalError:
        _keep_late(row, outcome)


def _keep_late(row: ModelCall | ToolCall, outcome: Outcome) -> None:
    with pooled():
        if not journal.is_recorded(row, outcome):
            journal.record_late(row, outcome)
