"""One step, or one part of it, by itself: what it is, and what a person may change about it."""

import json
from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET, require_POST

from goals import checkpoint_acts, seeing, services, subgoal_acts
from goals.chat import markdown
from goals.chat.page import for_people
from goals.chat.panel import can_change_steps
from goals.chat.pieces import joined, piece
from goals.chat.steps import Node, Step, grow
from goals.exceptions import InvalidInput, NotFound
from goals.models import Checkpoint, Goal, Subgoal
from goals.states import CheckpointStatus

C = CheckpointStatus
TEXTS = ("title", "description", "success_criteria", "gloss")


@for_people
@require_GET
def step(request: HttpRequest, goal_id: Any, checkpoint_id: Any) -> HttpResponse:
    """A step with its description, result, proof and parts, and forms for what may be done with it now."""
    goal = services.find(request.user, goal_id)
    found = Step(_one(goal.checkpoints.select_related("proof"), checkpoint_id, "checkpoint"), 0)
    grow([found])
    row, acts = found.row, can_change_steps(goal) and seeing.may_move(request.user, goal)
    context = {
        "goal": goal,
        "step": found,
        "description": markdown.render(row.description),
        "result": markdown.render(row.result_summary) if row.status == C.COMPLETED else "",
        "args": _shown(row.args),
        "acts": acts,
        "can_skip": acts and row.status in {C.PENDING, C.ACTIVE},
        "can_retry": acts and row.status in {C.ACTIVE, C.FAILED},
        "can_edit": acts and row.status == C.PENDING,
    }
    return HttpResponse(joined([piece("step", "step.html", context, kind=f"sheetpart {row.status}")]))


@for_people
@require_GET
def part(request: HttpRequest, goal_id: Any, subgoal_id: Any) -> HttpResponse:
    """A part of a step, with a form as long as it has not begun."""
    goal = services.find(request.user, goal_id)
    row = _one(goal.subgoals.select_related("checkpoint"), subgoal_id, "subgoal")
    may = can_change_steps(goal) and seeing.may_move(request.user, goal)
    context = {"part": row, "args": _shown(row.args), "can_edit": may and Node(row).can_be_edited}
    return HttpResponse(joined([piece("part", "part.html", context, kind="sheetpart")]))


@for_people
@require_POST
def step_act(request: HttpRequest, goal_id: Any, checkpoint_id: Any, action: str) -> HttpResponse:
    """Skip, retry or edit a step."""
    user, post = request.user, request.POST
    match action:
        case "skip":
            checkpoint_acts.skip(user, goal_id, checkpoint_id, post.get("reason", ""))
        case "retry":
            checkpoint_acts.retry(user, goal_id, checkpoint_id, post.get("reason", ""))
        case "edit":
            row = _one(services.to_move(user, goal_id).checkpoints, checkpoint_id, "checkpoint")
            _save(row, _changes(post), lambda changes: checkpoint_acts.edit(user, goal_id, checkpoint_id, changes))
        case _:
            raise NotFound(f"a step cannot be {action[:40]!r}; it can be skipped, retried or edited")
    return JsonResponse({})


@for_people
@require_POST
def part_edit(request: HttpRequest, goal_id: Any, subgoal_id: Any) -> HttpResponse:
    """Edit a part of a step that has not begun."""
    user = request.user
    row = _one(services.to_move(user, goal_id).subgoals, subgoal_id, "subgoal")
    _save(row, _changes(request.POST), lambda changes: subgoal_acts.edit(user, goal_id, subgoal_id, changes))
    return JsonResponse({})


def _one(rows: Any, key: Any, noun: str) -> Any:
    try:
        return rows.get(pk=key)
    except (Checkpoint.DoesNotExist, Subgoal.DoesNotExist, ValidationError):
        raise NotFound(f"the goal has no {noun} {str(key)[:80]}") from None


def _shown(args: Any) -> str:
    return json.dumps(args, ensure_ascii=False, indent=2)


def _changes(post: Any) -> dict[str, Any]:
    """Return what a form says of a row, in the form in which the services take it."""
    changes: dict[str, Any] = {name: post[name].replace("\r\n", "\n") for name in TEXTS if name in post}
    if "tools" in post:
        changes["tools"] = [name.strip() for name in post["tools"].split(",") if name.strip()]
    if "args" in post:
        try:
            changes["args"] = json.loads(post["args"])
        except (ValueError, RecursionError) as error:
            raise InvalidInput({"args": f"is no JSON: {error}"}) from None
    return changes


def _save(row: Checkpoint | Subgoal, given: dict[str, Any], edit: Any) -> Goal | None:
    """Change only what differs from what stands there."""
    changes = {name: value for name, value in given.items() if value != getattr(row, name)}
    return edit(changes) if changes else None
