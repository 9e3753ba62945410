"""One question by itself, and answering it: by a button, by its fields, with a file."""

import json
from pathlib import PurePosixPath
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from goals import answers
from goals.chat import conversations, fields
from goals.chat.page import for_people
from goals.chat.pieces import joined, piece, wants_fragment
from goals.chat.showing import shown_question
from goals.chat.whence import told_of
from goals.exceptions import AlreadyAnswered, InvalidInput
from goals.models import Goal, Question
from goals.states import QuestionStatus
from goals.tools.errors import ToolError
from goals.tools.workspace import Workspace

CHANNEL = "page"
MOST_BYTES = 20 * 1024 * 1024
FOLDER = "uploads"
LONGEST_NAME = 120
MOST_TWINS = 1000


@for_people
@require_GET
def question(request: HttpRequest, question_id: Any) -> HttpResponse:
    """A question as a card of its own; a browser is led to where it stands in its conversation."""
    found = answers.find(request.user, question_id)
    if not wants_fragment(request):
        return redirect(place_of(found, request.user))
    answers.to_answer(request.user, question_id)
    context = {"question": shown_question(found), "at": found.created_at, "alone": True}
    return HttpResponse(joined([piece(f"q-{found.pk}", "question.html", context, kind="assistant asks alone")]))


def place_of(row: Question, user: Any) -> str:
    """Return the address at which a person answers a question."""
    talk = conversations.of(row.goal, user)
    if talk is not None:
        return f"{reverse('conversation', args=[talk.pk])}?goal={row.goal_id}#q-{row.pk}"
    return f"{reverse('goal_page', args=[row.goal_id])}#q-{row.pk}"


@for_people
@require_POST
def answer(request: HttpRequest, question_id: Any) -> HttpResponse:
    """Answer: `value` is JSON from a button, else the question's fields are read; the first answer wins."""
    found = answers.to_answer(request.user, question_id)
    try:
        if found.status != QuestionStatus.OPEN:
            raise AlreadyAnswered
        answers.answer(request.user, found.pk, _value(request, found), channel=CHANNEL)
    except AlreadyAnswered:
        raise AlreadyAnswered(told_of(answers.find(request.user, question_id), request.user)) from None
    return JsonResponse({})


def _value(request: HttpRequest, row: Question) -> Any:
    if "value" in request.POST:
        try:
            return json.loads(request.POST["value"])
        except (ValueError, RecursionError):
            raise InvalidInput({"value": "must be JSON"}) from None
    if row.wants_file:
        return _kept(row.goal, request.FILES.get(fields.ANSWER))
    return fields.read(row, request.POST)


def _kept(goal: Goal, file: Any) -> str:
    """Write a file that was handed in into the goal's workspace; return its path there."""
    if file is None:
        raise InvalidInput({fields.ANSWER: "choose a file"})
    if file.size > MOST_BYTES:
        raise InvalidInput({fields.ANSWER: f"has {file.size:,} bytes; at most {MOST_BYTES:,} are taken"})
    workspace = Workspace(goal.workspace)
    try:
        return workspace.write_bytes(_free(workspace, _safe(file.name)), file.read())
    except ToolError as error:
        raise InvalidInput({fields.ANSWER: str(error)}) from None


def _safe(name: str) -> str:
    """Return a file's name without what a path or a reader could trip over."""
    kept = "".join(letter if letter.isalnum() or letter in "._- " else "_" for letter in name).strip(" .")
    return kept[-LONGEST_NAME:] or "file"


def _free(workspace: Workspace, name: str) -> str:
    path = PurePosixPath(FOLDER) / name
    for number in range(2, MOST_TWINS):
        if not workspace.exists(str(path)):
            return str(path)
        path = path.with_stem(f"{PurePosixPath(name).stem}-{number}")
    raise InvalidInput({fields.ANSWER: "too many files of that name were handed in"})
