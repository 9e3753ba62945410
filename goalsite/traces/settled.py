"""Which rows of a goal were settled between two of its events, and the spans that are drawn of them."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Q

from goals.models import Checkpoint, Event, Goal, ModelCall, Subgoal, ToolCall, Verification
from goalsite.traces.drawing import ENDS, Draughtsman
from goalsite.traces.drawn import Drawn

PAGE = 500
MOST_MOMENTS = 128  # as many as the SDK keeps by default
ROWS = {  # what an event's payload names, by which row
    "call": (ModelCall, ToolCall),
    "verification": (Verification,),
    "subgoal": (Subgoal,),
    "checkpoint": (Checkpoint,),
}
NAMED = {
    "model.called": "call",
    "tool.called": "call",
    "verifier.ran": "verification",
    **{f"subgoal.{verb}": "subgoal" for verb in ("achieved", "abandoned", "skipped")},
    **{f"checkpoint.{verb}": "checkpoint" for verb in ("completed", "failed", "skipped")},
}
TOLD = Q(kind__startswith="goal.") | Q(kind__startswith="question.") | Q(kind__startswith="budget.")


def page(goal: Goal, after: int) -> tuple[int, list[Event]]:
    """The goal's next events after `after`, at most a page, and the last one's number."""
    events = list(Event.objects.filter(goal=goal, seq__gt=after).order_by("seq")[:PAGE])
    return (events[-1].seq if events else after), events


def spans(goal: Goal, events: Sequence[Event], *, texts: bool) -> Iterator[Drawn]:
    """The spans of what these events say was settled; the goal's own last."""
    draw = Draughtsman(goal, texts=texts)
    drawers = {
        ModelCall: draw.model_call, ToolCall: draw.tool_call, Verification: draw.verification,
        Subgoal: draw.subgoal, Checkpoint: draw.checkpoint,
    }  # fmt: skip
    for name, models in ROWS.items():
        ids = {event.payload.get(name) for event in events if NAMED.get(event.kind) == name} - {None}
        for model in models:
            yield from (drawers[model](row) for row in _rows(model, goal, ids))
    ends = [event for event in events if event.kind in ENDS]
    if ends:
        history = Event.objects.filter(TOLD, goal=goal, seq__lte=ends[-1].seq).order_by("-seq")[:MOST_MOMENTS]
        yield draw.goal_ended(ends[-1], reversed(history))


def _rows(model: Any, goal: Goal, ids: set[Any]) -> list[Any]:
    """The settled among them; one that began never took no time."""
    if not ids:
        return []
    rows = model.objects.filter(goal=goal, pk__in=ids)
    if model is not Verification:
        rows = rows.filter(finished_at__isnull=False)
    if model in (Subgoal, Checkpoint):
        rows = rows.filter(started_at__isnull=False)
    return list(rows)
