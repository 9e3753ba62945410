"""What a goal is doing at this moment, in words: what is in flight, or what it waits for."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from goals.models import Checkpoint, Goal, ModelCall, Subgoal, ToolCall
from goals.states import EffectStatus, GoalStatus, Mode, WaitsFor

MOST = 6
LONGEST_NAME = 70
LONGEST_HINT = 60
HINTS = ("path", "query", "pattern", "url", "command", "name")
VERIFIER = "verifier"
ASKS = {
    "judge_applicability": "asks the model whether a procedure fits",
    "plan_checkpoints": "asks the model for a plan",
    "revise_plan": "asks the model for a new plan of what remains",
    "atomize": "asks the model how to go about {task}",
    "plan_subgoals": "asks the model to take {task} apart",
    "act": "the model works on {task}",
    "gather_question": "asks the model to word a question",
    "check_condition": "asks the model to check {task}",
    "judge_outcome": "asks the model to judge {whole}",
    "aggregate": "asks the model to join the results of {task}",
    "summarise_context": "asks the model to sum up {whole}",
    "evaluate_progress": "asks the model how it is getting on",
    "distil_sop": "asks the model to write the procedure down",
}


@dataclass(frozen=True)
class Doing:
    """One thing that is going on `since` a time; `until` is when a wait ends."""

    words: str
    since: datetime | None = None
    until: datetime | None = None


def doing(goal: Goal, numbers: Mapping[Any, int]) -> list[Doing]:
    """Return what goes on, oldest first; `numbers` says which step of the plan a checkpoint is."""
    match goal.status:
        case GoalStatus.PLANNING | GoalStatus.ACTIVE:
            return _in_flight(goal, numbers) or [_between(goal)]
        case GoalStatus.WAITING:
            return [_wait(goal)]
        case GoalStatus.PAUSED:
            return [Doing(f"still finishes: {one.words}", one.since) for one in _in_flight(goal, numbers)]
        case _:
            return []


def _in_flight(goal: Goal, numbers: Mapping[Any, int]) -> list[Doing]:
    """Return the calls that the worker in charge has begun; those of a worker that is gone are not going on."""
    found: list[ModelCall | ToolCall] = []
    for model in (ModelCall, ToolCall):
        rows = model.objects.filter(goal=goal, status=EffectStatus.INTENDED, epoch=goal.lease_epoch)
        found += rows.select_related("checkpoint", "subgoal").order_by("created_at")[:MOST]
    found.sort(key=lambda row: row.created_at)
    return [Doing(words_of(row, numbers), row.created_at) for row in found[:MOST]]


def words_of(call: ModelCall | ToolCall, numbers: Mapping[Any, int]) -> str:
    """Return what a call is for, as in "asks the model to judge step 2"."""
    whole = _whole(call.checkpoint, numbers)
    if isinstance(call, ModelCall):
        words = ASKS.get(call.purpose, f"asks the model ({call.purpose})")
        return words.format(task=_task(call.subgoal, call.checkpoint, whole), whole=whole)
    if call.tool == VERIFIER:
        return f"runs the check of {whole}"
    hint = _hint(call.request.get("input"))
    return f"calls {call.tool}: {hint}" if hint else f"calls {call.tool}"


def _whole(checkpoint: Checkpoint | None, numbers: Mapping[Any, int]) -> str:
    if checkpoint is None:
        return "the goal"
    number = numbers.get(checkpoint.pk)
    return f"step {number}" if number else f"“{_cut(checkpoint.title, LONGEST_NAME)}”"


def _task(subgoal: Subgoal | None, checkpoint: Checkpoint | None, whole: str) -> str:
    """A step's own subgoal goes by the step's title."""
    if subgoal is None:
        return whole
    of_step = checkpoint is not None and subgoal.parent_id is None
    return f"“{_cut(checkpoint.title if of_step else subgoal.gloss, LONGEST_NAME)}”"  # type: ignore[union-attr]


def _hint(given: Any) -> str:
    """Return the argument that tells a call from others of its tool."""
    values = (given.get(name) for name in HINTS) if isinstance(given, dict) else ()
    return next((_cut(value, LONGEST_HINT) for value in values if isinstance(value, str) and value.strip()), "")


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _between(goal: Goal) -> Doing:
    """Say that nothing is in flight: for a moment as a rule, for longer where no worker has the goal."""
    held = goal.lease_owner and goal.lease_expires_at is not None and goal.lease_expires_at > timezone.now()
    return Doing("looks at what comes next" if held else "waits for a worker to take it up")


def _wait(goal: Goal) -> Doing:
    if goal.waits_for == WaitsFor.QUESTION:
        asked = goal.questions.open().order_by("created_at").values_list("created_at", flat=True).first()
        return Doing("waits for an answer", asked)
    watches = goal.waits_for == WaitsFor.WATCH or goal.mode == Mode.MONITOR
    return Doing("looks again at" if watches else "goes on at", until=goal.wake_at)
