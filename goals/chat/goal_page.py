"""The page of one goal: its tabs, each an address of its own."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET

from goals import seeing, services
from goals.chat import conversations
from goals.chat.graph import graph_of
from goals.chat.page import for_people
from goals.chat.pieces import Piece, joined, piece
from goals.chat.standing import goal_in_words
from goals.chat.tray import tray
from goals.models import Goal

TABS = {
    "goal_page": "Graph",
    "goal_timeline": "Timeline",
    "goal_events": "Events",
    "goal_artifacts": "Artifacts",
}


@for_people
@require_GET
def graph(request: HttpRequest, goal_id: Any) -> HttpResponse:
    """The tree of the goal's work, drawn by the page's script from `goal_graph_data`."""
    goal = services.find(request.user, goal_id)
    return shown(request, goal, "goal_page", "graph.html", {"graph_url": reverse("goal_graph_data", args=[goal.pk])})


@for_people
@require_GET
@gzip_page
def graph_data(request: HttpRequest, goal_id: Any) -> HttpResponse:
    """The graph as JSON (`goals.chat.graph`)."""
    return JsonResponse(graph_of(services.find(request.user, goal_id)))


@for_people
@require_GET
def head(request: HttpRequest, goal_id: Any) -> HttpResponse:
    """What stands above the tabs, as it is now."""
    return HttpResponse(joined([head_of(services.find(request.user, goal_id), request.user)]))


def shown(
    request: HttpRequest, goal: Goal, tab: str, template: str, context: dict[str, Any] | None = None
) -> HttpResponse:
    """Return a page of a goal: `tab` is the url name of the tab that it belongs to."""
    shell = {
        "goal": goal,
        "head": joined([head_of(goal, request.user)]),
        "only_shown": not seeing.may_move(request.user, goal),
        "back": conversations.of(goal, request.user),
        "tray": joined(tray(request.user)),
        "tabs": TABS.items(),
        "tab": tab,
    }
    return render(request, f"chat/goal/{template}", {**shell, **(context or {})})


def head_of(goal: Goal, user: Any = None) -> Piece:
    """Return what stands above the tabs: with the way to the question, where one waits for whoever looks."""
    answers = user is not None and not goal.is_ended and seeing.may_move(user, goal)
    question = None if not answers else goal.questions.open().order_by("created_at").first()
    context = {"goal": goal, "words": goal_in_words(goal), "question": question}
    return piece("g-head", "goal/head.html", context, kind=f"goaltop {goal.status}")
