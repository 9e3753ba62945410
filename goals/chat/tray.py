"""What waits for a person, over all their conversations: counted, and each with the way to it."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from goals.chat.page import for_people
from goals.chat.pieces import Piece, joined, piece
from goals.chat.questions import place_of
from goals.chat.standing import title_of
from goals.models import Question

LISTED = 30


def waiting_for(user: Any) -> QuerySet[Question]:
    """Return the open questions of a person's own goals, the longest waiting first."""
    rows = Question.objects.open().filter(goal__owner_id=user.pk)
    return rows.select_related("goal__conversation").order_by("created_at")


def tray(user: Any) -> list[Piece]:
    """Return the count, and a piece for each of the first questions."""
    rows = waiting_for(user)
    listed = list(rows[:LISTED])
    count = len(listed) if len(listed) < LISTED else rows.count()
    head = piece("needs", "tray_head.html", {"count": count, "more": count - len(listed)}, count=count)
    return [head, *(_line(row, user) for row in listed)]


def _line(row: Question, user: Any) -> Piece:
    context = {"question": row, "title": title_of(row.goal), "url": place_of(row, user)}
    return piece(f"n-{row.pk}", "tray_line.html", context, kind="need", question=row.pk, goal=row.goal_id)


@for_people
@require_GET
def fragment(request: HttpRequest) -> HttpResponse:
    """The tray."""
    return HttpResponse(joined(tray(request.user)))
