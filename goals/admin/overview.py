"""What the top of a goal's page shows: where it stands, what it used, what waits for a person."""

from typing import Any

from django.urls import reverse

from artifacts.models import Artifact
from goals.admin.base import COLOURS
from goals.admin.show import listing, page
from goals.budget import figure
from goals.chat.goal_page import TABS
from goals.chat.standing import goal_in_words, why
from goals.chat.steps import plan_of
from goals.effects.ledger import lines_of
from goals.models import Checkpoint, Event, Goal, ModelCall, ToolCall
from goals.states import CheckpointStatus

MOST_QUESTIONS = 5
MOST_STEPS = 40
MOST_ARTIFACTS = 12
SHOWN = {**COLOURS, "pending": "default", "skipped": "default"}
DECIMALS = {"cost_usd": 4, "seconds": 1}
NAMES = {"model_calls": "Model calls", "tokens": "Tokens", "cost_usd": "Cost (USD)", "seconds": "Seconds"}


def overview(goal: Goal) -> dict[str, Any]:
    checkpoints = goal.checkpoint_count
    return {
        "goal": goal,
        "colour": COLOURS.get(goal.status, "default"),
        "words": goal_in_words(goal),
        "why": why(goal)[:2000],
        "done": goal.completed_count,
        "of": checkpoints,
        "share": round(100 * goal.completed_count / checkpoints) if checkpoints else 0,
        "current": goal.checkpoints.filter(status=CheckpointStatus.ACTIVE).first(),
        "budget": [_line(line) for line in lines_of(goal)],
        "questions": [{"row": row, "page": page(row)} for row in goal.questions.open()[:MOST_QUESTIONS]],
        "steps": [(step, page(step.row), SHOWN.get(step.row.status, "default")) for step in plan_of(goal).steps][
            :MOST_STEPS
        ],
        "artifacts": [(row, page(row)) for row in _artifacts(goal)],
        "rooms": [(words, reverse(name, args=[goal.pk])) for name, words in TABS.items()],
        "lists": _lists(goal),
    }


def _artifacts(goal: Goal) -> list[Artifact]:
    """Return the latest artifacts of the goal's own context, without what they hold."""
    rows = Artifact.objects.filter(context_id=goal.artifact_context_id).order_by("-pk")
    return list(rows.only("name", "version", "type", "description", "size", "created_at")[:MOST_ARTIFACTS])


def _line(line: Any) -> dict[str, Any]:
    taken = line.used + line.reserved
    share = min(100, round(100 * taken / line.limit)) if line.limit else 0
    return {
        "name": NAMES[line.resource],
        "used": figure(round(line.used, DECIMALS.get(line.resource, 0))),
        "limit": "no limit" if line.limit is None else figure(line.limit),
        "share": share,
        "tight": share >= 80,
    }


def _lists(goal: Goal) -> list[tuple[str, str]]:
    """Links to the whole of what the page shows a part of."""
    models = {"Events": Event, "Checkpoints": Checkpoint, "Model calls": ModelCall, "Tool calls": ToolCall}
    return [(name, listing(model, goal__id__exact=goal.pk)) for name, model in models.items()]
