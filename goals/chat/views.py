"""The chat page and its fragments. Views fetch with permission, and render."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from artifacts import storage
from goals import attachments, seeing, services
from goals.chat import conversations, listing, markdown, naming, results
from goals.chat.examples import EXAMPLES
from goals.chat.page import for_people
from goals.chat.panel import panel
from goals.chat.pieces import Piece, joined, piece
from goals.chat.shared import share_pieces
from goals.chat.standing import current_goal
from goals.chat.timeline import timeline
from goals.chat.tray import tray
from goals.exceptions import InvalidInput, NotFound
from goals.file_kinds import is_text
from goals.models import Conversation, Goal


@for_people
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """A new conversation: what this is, examples, and a place to write."""
    return _page(request, None, {"examples": EXAMPLES, "shown": seeing.latest_shown_to(request.user)})


@for_people
@require_GET
def conversation(request: HttpRequest, conversation_id: Any) -> HttpResponse:
    """One conversation with its living goal."""
    found = conversations.find(request.user, conversation_id)
    goal = _chosen(request, found)
    shown = {"timeline": joined(timeline(found)), "panel": joined(_panel(request, found, goal)), "goal": goal}
    return _page(request, found, shown)


@for_people
@require_GET
def timeline_fragment(request: HttpRequest, conversation_id: Any) -> HttpResponse:
    """The latest messages; with `?before=NUMBER` the page before, with `?from=NUMBER` all from there on."""
    before, first = _number(request, "before"), _number(request, "from")
    found = conversations.find(request.user, conversation_id)
    return HttpResponse(joined(timeline(found, before=before, first=first)))


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name)
    if text is not None and not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InvalidInput({name: "must be the number of a message"})
    return None if text is None else int(text)


@for_people
@require_GET
def panel_fragment(request: HttpRequest, conversation_id: Any) -> HttpResponse:
    """The living goal: the latest, or with `?goal=ID` one of the others."""
    found = conversations.find(request.user, conversation_id)
    return HttpResponse(joined(_panel(request, found, _chosen(request, found))))


@for_people
@require_GET
def list_fragment(request: HttpRequest) -> HttpResponse:
    """The person's conversations: the latest, with `?q=` those in which these words are, with `?most=` how many."""
    return HttpResponse(joined(listing.listed(request.user, **listing.wanted(request.GET))))


@for_people
@require_GET
def file(request: HttpRequest, goal_id: Any, path: str) -> HttpResponse:
    """A file that a goal made: shown, or with `?download` as it is."""
    goal = services.find(request.user, goal_id)
    found = results.read(goal, path)
    if "download" in request.GET or found.text is None:
        return _download(found.name, found.data)
    html = markdown.render(found.text) if found.is_markdown else ""
    back = conversations.of(goal, request.user)
    return render(request, "chat/file.html", {"file": found, "html": html, "goal": goal, "back": back})


@for_people
@require_GET
def attachment(request: HttpRequest, attachment_id: Any) -> HttpResponse:
    """A file that this person attached: shown, with `?raw` a picture alone, with `?download` as it is."""
    row = attachments.find(request.user, attachment_id)
    data = storage.read(row.blob_sha256)
    if "raw" in request.GET and row.is_picture:
        return HttpResponse(data, content_type=row.media_type)
    text = data.decode() if is_text(data) else None
    if "download" in request.GET or not (text or row.is_picture):
        return _download(row.name, data)
    found = results.File(row.name, data, text)
    html = markdown.render(text) if text and found.is_markdown else ""
    context = {"file": found, "html": html, "picture": row if row.is_picture else None}
    return render(request, "chat/file.html", {**context, "back": row.message.conversation if row.message else None})


@for_people
@require_GET
def artifact_names(request: HttpRequest, conversation_id: Any) -> HttpResponse:
    """What can be named after an @ in this conversation, with `?q=` the beginning of a name."""
    found = conversations.find(request.user, conversation_id)
    return JsonResponse({"results": naming.names(found, request.GET.get("q", "")[:100])})


def _download(name: str, data: bytes) -> HttpResponse:
    response = HttpResponse(data, content_type="application/octet-stream")
    response.headers["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response


def _page(request: HttpRequest, found: Conversation | None, context: dict[str, Any]) -> HttpResponse:
    shared = {
        "conversation": found,
        "conversations": joined(listing.listed(request.user)),
        "tray": joined(tray(request.user)),
        "rehearsal": settings.GOALSITE_REHEARSAL,
        "commands_url": reverse("chat-command-list"),
        "longest_file": attachments.LONGEST,
        "most_files": attachments.MOST,
        "longest": conversations.LONGEST_MESSAGE,
    }
    return render(request, "chat/chat.html", {**shared, **context})


def _chosen(request: HttpRequest, found: Conversation) -> Goal | None:
    wanted = request.GET.get("goal")
    if not wanted:
        return current_goal(found)
    goal = services.find(request.user, wanted)
    if goal.conversation_id != found.pk:
        raise NotFound(f"there is no goal {wanted[:80]} in this conversation")
    return goal


def _panel(request: HttpRequest, found: Conversation, goal: Goal | None) -> list[Piece]:
    others = Goal.objects.filter(conversation=found).order_by("-created_at")
    pieces = [*panel(goal, request.user), *share_pieces(goal)]
    rest = [one for one in others[:20] if goal is not None and one.pk != goal.pk]
    if rest:
        pieces.append(piece("p-others", "panel_others.html", {"goals": rest, "conversation": found}))
    return pieces
