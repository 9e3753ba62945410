"""What a link to an ended goal shows, to anybody who has it: how it ended, its steps, its results and its certificate.

Nothing of the conversation, of questions and answers, of prompts, calls or people is on it.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET, require_POST

from goals import sharing
from goals.api.certificate import certificate_of
from goals.chat import markdown, results
from goals.chat.amounts import amount, duration
from goals.chat.endings import is_long
from goals.chat.goal_page import head_of
from goals.chat.graph import graph_of
from goals.chat.outcome import outcomes
from goals.chat.page import for_people, strict
from goals.chat.pieces import Piece, joined, piece
from goals.chat.standing import goal_in_words, why
from goals.exceptions import NotFound
from goals.models import Goal
from goals.models.goal import ENDED
from goals.states import CheckpointStatus, GoalStatus

MOST_STEPS = 200
MOST_NODES = 300


def for_anybody(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Find what a link shows; keep it out of indexes, and its address out of what other sites are told."""

    @wraps(view)
    def wrapped(request: HttpRequest, token: str, **named: Any) -> HttpResponse:
        try:
            response = view(request, sharing.opened(token), token=token, **named)
        except NotFound as error:
            response = render(request, "chat/shared_none.html", {"error": error}, status=404)
        response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
        response["Referrer-Policy"] = "no-referrer"
        return response

    return strict(wrapped)


@for_anybody
@require_GET
def shared(request: HttpRequest, goal: Goal, token: str) -> HttpResponse:
    """How the goal ended."""
    outcome = outcomes([goal], among_messages=False)[goal.pk]
    preview = "" if outcome.text or not outcome.files else results.beginning(goal, outcome.files[-1])[0]
    began = goal.started_at or goal.created_at
    context = {
        "goal": goal,
        "token": token,
        "words": goal_in_words(goal),
        "why": why(goal),
        "took": duration(max(1, round((goal.finished_at - began).total_seconds()))) if goal.finished_at else "",
        "files": outcome.files,
        "text": markdown.render(outcome.text) if outcome.text else "",
        "is_long": is_long(outcome.text or preview),
        "preview": markdown.render(preview) if preview else "",
        "steps": _steps(goal),
        "certificate": _certificate(goal),
    }
    return render(request, "chat/shared.html", context)


@for_anybody
@require_GET
def shared_file(request: HttpRequest, goal: Goal, token: str, path: str) -> HttpResponse:
    """A file that the goal made, or with `?download` as it is."""
    found = results.read(goal, path)
    if "download" in request.GET or found.text is None:
        response = HttpResponse(found.data, content_type="application/octet-stream")
        response.headers["Content-Disposition"] = content_disposition_header(True, found.name) or "attachment"
        return response
    html = markdown.render(found.text) if found.is_markdown else ""
    return render(request, "chat/shared_file.html", {"file": found, "html": html, "goal": goal, "token": token})


@for_anybody
@require_GET
def shared_graph(request: HttpRequest, goal: Goal, token: str) -> HttpResponse:
    """The tree of the goal's work, drawn by the page's script from `shared_graph_data`."""
    url = reverse("shared_graph_data", args=[token])
    context = {"goal": goal, "token": token, "head": joined([head_of(goal)]), "graph_url": url}
    return render(request, "chat/shared_graph.html", context)


@for_anybody
@require_GET
def shared_graph_data(request: HttpRequest, goal: Goal, token: str) -> HttpResponse:
    """The graph as JSON: titles, states and times; nothing of what was said, asked or paid for."""
    return JsonResponse(graph_of(goal))


def _steps(goal: Goal) -> list[dict[str, Any]]:
    """The checkpoints with what was done under each, as plain lists."""
    nodes: dict[Any, list[Any]] = {}
    for node in goal.subgoals.exclude(parent=None).order_by("depth", "position", "id")[:MOST_NODES]:
        nodes.setdefault(node.checkpoint_id, []).append(node)
    rows = goal.checkpoints.exclude(status=CheckpointStatus.SKIPPED).select_related("proof").order_by("position")
    return [{"row": row, "nodes": nodes.get(row.pk, [])} for row in rows[:MOST_STEPS]]


def _certificate(goal: Goal) -> dict[str, Any] | None:
    """What proves a completed goal; of the whole certificate, what names nobody and no machine."""
    if goal.status != GoalStatus.COMPLETED or goal.proof is None:
        return None
    whole = certificate_of(goal)
    used = {name: amount(name, line["used"]) for name, line in whole["budget"].items() if line["used"]}
    kept = ("digest", "verifier_digest", "artifacts", "history")
    return {**{name: whole[name] for name in kept}, "reason": whole["proof"]["reason"], "used": used}


# -- for the owner ----------------------------------------------------------------------------------------------------


@for_people
@require_POST
def share(request: HttpRequest, goal_id: Any) -> HttpResponse:
    """Make a link; its address is told this once."""
    _, token = sharing.share(request.user, goal_id, days=request.POST.get("days"))
    return JsonResponse({"share": request.build_absolute_uri(reverse("shared", args=[token]))}, status=201)


@for_people
@require_POST
def withdraw(request: HttpRequest, goal_id: Any, share_id: Any) -> HttpResponse:
    """Withdraw a link, or what somebody was shown."""
    sharing.withdraw(request.user, goal_id, share_id)
    return JsonResponse({})


@for_people
@require_POST
def show_to(request: HttpRequest, goal_id: Any) -> HttpResponse:
    """Show the goal to a person."""
    sharing.share_with(request.user, goal_id, request.POST.get("person"), days=request.POST.get("days"))
    return JsonResponse({}, status=201)


def share_pieces(goal: Goal | None) -> list[Piece]:
    """Return the parts of the panel that show a goal to others: to people, and by link when it has ended."""
    if goal is None:
        return []
    shares = sharing.shares_of(goal)
    people = {"goal": goal, "shares": [one for one in shares if one.viewer_id]}
    pieces = [piece("p-people", "panel_people.html", people)]
    if goal.status in ENDED:
        links = [one for one in shares if not one.viewer_id]
        pieces.append(piece("p-share", "panel_share.html", {"goal": goal, "links": links}))
    return pieces
