"""What the page's buttons and forms do: each calls one service and answers with JSON."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from goals import attachments, services
from goals.chat import conversations, corrections, examples
from goals.chat.meters import limit_said
from goals.chat.page import for_people
from goals.exceptions import NotFound
from goals.file_kinds import size_in_words


def _address(conversation_id: Any) -> JsonResponse:
    return JsonResponse({"url": reverse("conversation", args=[conversation_id])}, status=201)


@for_people
@require_POST
def begin(request: HttpRequest) -> HttpResponse:
    """Say something in a new conversation."""
    content = conversations.checked(request.POST.get("content"))
    attached = request.POST.getlist("attachment")
    found = conversations.begin(request.user, content, attached=attached)
    return _address(found.pk)


@for_people
@require_POST
def example(request: HttpRequest, slug: str) -> HttpResponse:
    """Start one of the examples."""
    return _address(examples.start(request.user, slug).pk)


@for_people
@require_POST
def say(request: HttpRequest, conversation_id: Any) -> HttpResponse:
    """Say something."""
    content, attached = request.POST.get("content"), request.POST.getlist("attachment")
    message = conversations.post(request.user, conversation_id, content, attached=attached)
    return JsonResponse({"number": message.number}, status=201)


@for_people
@require_POST
def retry(request: HttpRequest, conversation_id: Any, number: int) -> HttpResponse:
    """Have a message read again that could not be read."""
    conversations.retry(request.user, conversation_id, number)
    return JsonResponse({})


@for_people
@require_POST
def rename(request: HttpRequest, conversation_id: Any) -> HttpResponse:
    """Give a conversation another name."""
    return JsonResponse({"title": conversations.rename(request.user, conversation_id, request.POST.get("title")).title})


@for_people
@require_POST
def attach(request: HttpRequest) -> HttpResponse:
    """Keep a file until it is sent with a message."""
    kept = attachments.keep(request.user, request.FILES.get("file"))
    told = {"id": str(kept.pk), "name": kept.name, "size": size_in_words(kept.size), "type": kept.media_type}
    return JsonResponse(told, status=201)


@for_people
@require_POST
def detach(request: HttpRequest, attachment_id: Any) -> HttpResponse:
    """Forget a file that was not sent."""
    attachments.drop(request.user, attachment_id)
    return JsonResponse({})


@for_people
@require_POST
def correct(request: HttpRequest, conversation_id: Any, number: int) -> HttpResponse:
    """Say what a message really is: `as` names it, for an answer as `answer:QUESTION`."""
    kind, _, question = request.POST.get("as", "").partition(":")
    before = request.POST.get("before", "")
    corrections.correct(request.user, conversation_id, number, kind, before=before, question=question or None)
    return JsonResponse({})


@for_people
@require_POST
def act(request: HttpRequest, goal_id: Any, action: str) -> HttpResponse:
    """Pause, resume, cancel, steer, revise, rearm, or change limits."""
    user, post = request.user, request.POST
    match action:
        case "pause":
            services.pause(user, goal_id, now="now" in post)
        case "resume":
            services.resume(user, goal_id)
        case "cancel":
            services.cancel(user, goal_id)
        case "steer":
            services.steer(user, goal_id, post.get("text"))
            return JsonResponse({"said": "It is told with the next prompt."})
        case "revise":
            services.revise(user, goal_id, post.get("reason", ""))
            return JsonResponse({"said": "Another plan of what remains is asked for."})
        case "rearm":
            services.rearm(user, goal_id)
        case "limits":
            resource = post.get("resource", "")
            services.raise_limits(user, goal_id, {resource: limit_said(resource, post.get("limit"))})
        case _:
            raise NotFound(
                f"a goal cannot be {action[:40]!r}; it can be paused, resumed, steered, revised, cancelled, rearmed"
            )
    return JsonResponse({})
