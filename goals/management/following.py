"""Following one goal from a terminal: how it ends, and what `--json` says of it."""

import json
from typing import Any, TextIO

from artifacts.services import latest
from goals.events import frame
from goals.management.base import DONE, FAILED, WAITING
from goals.models import Event, Goal, Question
from goals.services import budget_of
from goals.states import GoalStatus


def exit_code(goal: Goal) -> int:
    """0 done, 1 failed, 2 waiting or paused."""
    if goal.status == GoalStatus.COMPLETED:
        return DONE
    return FAILED if goal.is_ended else WAITING


def result_of(goal: Goal) -> dict[str, Any]:
    """Return the last line of `goal --json`."""
    artifacts = latest(goal.artifact_context_id)
    return {
        "type": "result",
        "goal": str(goal.pk),
        "status": goal.status,
        "outcome": goal.outcome,
        "reason": goal.reason or goal.verdict_reason,
        "budget": budget_of(goal),
        "checkpoints": [{"title": row.title, "status": row.status} for row in goal.checkpoints.order_by("position")],
        "artifacts": [{"name": a.name, "version": a.version, "type": a.type} for a in artifacts.values()],
        "questions": [told(question) for question in goal.questions.open()],
    }


def told(question: Question) -> dict[str, Any]:
    return {
        "id": str(question.pk),
        "kind": question.kind,
        "key": question.key,
        "prompt": question.prompt,
        "suggestions": question.suggestions,
        "details": question.details,
    }


class JsonFollower:
    """One JSON object a line, and nothing else, on standard output; it never asks."""

    def __init__(self, out: TextIO) -> None:
        self.out = out

    def begin(self, goal: Goal) -> None:
        """The first event says it."""

    def event(self, event: Event, goal: Goal) -> None:
        self._write(frame(event))

    def look(self, goal: Goal) -> None:
        """The events say it."""

    def message(self, text: str) -> None:
        """Nothing else goes to standard output."""

    def end(self, goal: Goal) -> None:
        self._write(result_of(goal))

    def _write(self, data: dict[str, Any]) -> None:
        self.out.write(json.dumps(data, ensure_ascii=False, default=str) + "\n")
        self.out.flush()
