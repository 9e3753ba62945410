"""The conversation as it is shown: messages, questions with their answers, and how goals ended, in order of time."""

from datetime import datetime
from typing import Any

from goals.chat import markdown
from goals.chat.choices import Choices
from goals.chat.endings import endings
from goals.chat.pieces import Piece, piece
from goals.chat.showing import shown_question
from goals.chat.standing import current_goal, goal_in_words, why
from goals.models import Conversation, Goal, Message, Role
from goals.models.goal import ENDED
from goals.states import GoalStatus

PAGE = 60
MOST = 500  # messages from a number on
MOST_ENDED = 20


def timeline(conversation: Conversation, *, before: int | None = None, first: int | None = None) -> list[Piece]:
    """Return the latest page of a conversation, the page before a message's number, or all from a number on."""
    messages = _messages(conversation, before, first)
    choices = Choices(conversation, messages)
    items = [(message.created_at, _message_piece(message, choices)) for message in messages]
    since = messages[0].created_at if messages and messages[0].number > 1 else None
    until = _created(conversation, before) if before is not None else None
    items += _endings(conversation, since, until)
    items.sort(key=lambda item: item[0])
    pieces = [one for _, one in items]
    if messages and messages[0].number > (first or 1):
        pieces.insert(0, piece("earlier", "earlier.html", {"before": messages[0].number}, kind="earlier"))
    return pieces if before is not None else [*pieces, *_now(conversation, messages)]


def _messages(conversation: Conversation, before: int | None, first: int | None) -> list[Message]:
    rows = conversation.messages.select_related("question__answered_by", "question__goal", "author")
    rows = rows.prefetch_related("attachments")
    if before is not None:
        rows = rows.filter(number__lt=before)
    if first is not None:
        rows = rows.filter(number__gte=first)
    return list(rows.order_by("-number")[: PAGE if first is None else MOST])[::-1]


def _created(conversation: Conversation, number: int) -> datetime | None:
    return conversation.messages.filter(number=number).values_list("created_at", flat=True).first()


def _message_piece(message: Message, choices: Choices) -> Piece:
    if message.question is not None and message.role != Role.USER:
        context: dict[str, Any] = {"question": shown_question(message.question), "at": message.created_at}
        return piece(f"m-{message.number}", "question.html", context, kind="assistant asks")
    plain = message.role == Role.USER
    context = {
        "message": message,
        "text": message.content if plain else "",
        "html": "" if plain else markdown.render(message.content),
        "failed": bool(message.failure),
        "taken": choices.of(message),
        "attachments": message.attachments.all(),
    }
    return piece(f"m-{message.number}", "message.html", context, kind=message.role)


def _endings(conversation: Conversation, since: datetime | None, until: datetime | None) -> list[tuple[Any, Piece]]:
    goals = Goal.objects.filter(conversation=conversation, status__in=ENDED).order_by("-finished_at")
    if since is not None:
        goals = goals.filter(finished_at__gte=since)
    if until is not None:
        goals = goals.filter(finished_at__lt=until)
    return endings(list(goals[:MOST_ENDED]))


def _now(conversation: Conversation, messages: list[Message]) -> list[Piece]:
    """Return what goes on at the moment, if anything: a message being read, a goal at work, one that is paused."""
    waits = next((m for m in messages if m.role == Role.USER and m.interpreted_at is None), None)
    if waits is not None:
        return [piece("now", "now.html", {"words": "Reading your message", "busy": True}, kind="now")]
    goal = current_goal(conversation)
    if goal is None and not messages:
        return [piece("nothing", "nothing.html", {}, kind="nothing")]
    if goal is None or goal.is_ended or goal.status == GoalStatus.WAITING:
        return []
    paused = goal.status == GoalStatus.PAUSED
    context = {"words": goal_in_words(goal), "busy": not paused, "goal": goal, "why": why(goal) if paused else ""}
    return [piece("now", "now.html", context, kind="now paused" if paused else "now")]
