"""The other tabs of a goal's page: its timeline, its history, and its artifacts."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET

from artifacts.services import latest
from goals import services
from goals.chat import history
from goals.chat.goal_page import shown
from goals.chat.history import Filters
from goals.chat.moments import moments_of
from goals.chat.page import for_people
from goals.chat.pieces import Piece, joined, piece, wants_fragment
from goals.exceptions import InvalidInput
from goals.models import Goal
from goals.models.event import NOUNS

MOST_ARTIFACTS = 1000


@for_people
@require_GET
def timeline(request: HttpRequest, goal_id: Any) -> HttpResponse:
    """What ran when, drawn by the page's script from `goal_moments`."""
    return shown(request, services.find(request.user, goal_id), "goal_timeline", "timeline.html")


@for_people
@require_GET
@gzip_page
def timeline_data(request: HttpRequest, goal_id: Any) -> HttpResponse:
    """The timeline as JSON (`goals.chat.moments`)."""
    return JsonResponse(moments_of(services.find(request.user, goal_id)))


@for_people
@require_GET
def events(request: HttpRequest, goal_id: Any) -> HttpResponse:
    """The history, newest first: `?kind= actor= q=` filter it, `?before=SEQ` is the page before."""
    goal = services.find(request.user, goal_id)
    filters = Filters.read(request.GET)
    lines = joined(_lines(goal, filters, _number(request, "before")))
    if wants_fragment(request):
        return HttpResponse(lines)
    context = {"lines": lines, "filters": filters, "nouns": NOUNS, "actors": history.actors(goal), "site": history.SITE}
    return shown(request, goal, "goal_events", "events.html", context)


@for_people
@require_GET
def artifacts(request: HttpRequest, goal_id: Any) -> HttpResponse:
    """The latest version of each artifact that the goal sees."""
    goal = services.find(request.user, goal_id)
    rows = sorted(latest(goal.artifact_context_id).values(), key=lambda row: row.created_at, reverse=True)
    listed = joined([_artifact(goal, row) for row in rows[:MOST_ARTIFACTS]])
    if wants_fragment(request):
        return HttpResponse(listed)
    return shown(request, goal, "goal_artifacts", "artifacts.html", {"listed": listed, "count": len(rows)})


def _lines(goal: Goal, filters: Filters, before: int | None) -> list[Piece]:
    found, rest = history.page(goal, filters, before=before)
    pieces = [
        piece(f"e-{line.row.seq}", "goal/event.html", {"goal": goal, "line": line}, kind="event", seq=line.row.seq)
        for line in found
    ]
    if rest is not None:
        pieces.append(piece("e-rest", "goal/events_rest.html", {"before": rest}, kind="rest", before=rest))
    return pieces


def _artifact(goal: Goal, row: Any) -> Piece:
    words = f"{row.name} {row.type} {row.description} {row.purpose}".lower()
    return piece(f"a-{row.pk}", "goal/artifact.html", {"goal": goal, "row": row}, kind="thing", words=words[:600])


def _number(request: HttpRequest, name: str) -> int | None:
    value = request.GET.get(name)
    if not value:
        return None
    if not (value.isascii() and value.isdigit() and len(value) < 19):
        raise InvalidInput({name: "must be the number of an event"})
    return int(value)
