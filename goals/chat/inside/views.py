"""The addresses of what is inside a goal: as a page, as a fragment for the sheet, and each long text as a whole."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from goals import seeing, services
from goals.chat import goal_page
from goals.chat.inside import calls, checks, nodes, things
from goals.chat.inside.values import plain
from goals.chat.page import for_people
from goals.chat.pieces import Piece, joined, wants_fragment
from goals.exceptions import NotFound
from goals.models import Goal


class Kind(NamedTuple):
    """How one kind is shown, to which tab it belongs, and how a long text of it is read as a whole."""

    look: Callable[[Goal, Any], tuple[str, list[Piece]]]
    part: Callable[[Goal, Any, str], Any]
    tab: str = "goal_page"


KINDS = {
    "checkpoints": Kind(nodes.checkpoint, nodes.checkpoint_part),
    "subgoals": Kind(nodes.subgoal, nodes.subgoal_part),
    "model-calls": Kind(calls.model_call, calls.model_part, "goal_timeline"),
    "tool-calls": Kind(calls.tool_call, calls.tool_part, "goal_timeline"),
    "verifications": Kind(checks.verification, checks.verification_part, "goal_timeline"),
    "questions": Kind(checks.question, checks.question_part, "goal_timeline"),
    "artifacts": Kind(things.artifact, things.part, "goal_artifacts"),
}


@for_people
@require_GET
def look(request: HttpRequest, goal_id: Any, kind: str, row_id: Any) -> HttpResponse:
    """One thing inside a goal."""
    goal = services.find(request.user, goal_id)
    goal.only_shown = not seeing.may_move(request.user, goal)  # no way to answer for who may not
    found = _kind(kind)
    title, pieces = found.look(goal, row_id)
    if wants_fragment(request):
        return HttpResponse(joined(pieces))
    context = {"title": title, "inside": joined(pieces)}
    return goal_page.shown(request, goal, found.tab, "inside.html", context)


@for_people
@require_GET
def whole(request: HttpRequest, goal_id: Any, kind: str, row_id: Any, part: str) -> HttpResponse:
    """A long text as a whole: plain text, whatever is in it."""
    goal = services.find(request.user, goal_id)
    value = _kind(kind).part(goal, row_id, part)
    if value is None:
        raise NotFound(f"there is no {part[:40]} to show")
    response = HttpResponse(plain(value), content_type="text/plain; charset=utf-8")
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _kind(name: str) -> Kind:
    if name not in KINDS:
        raise NotFound(f"there is nothing of the kind {name[:40]!r} inside a goal")
    return KINDS[name]
