"""A person's conversations as the page lists them: the latest first, found by their name and by what was said."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q

from goals.chat import conversations
from goals.chat.pieces import Piece, piece
from goals.exceptions import InvalidInput
from goals.models import Conversation, Goal, Message
from goals.states import GoalStatus, WaitsFor

PAGE = 40
MOST = 2_000
LONGEST_QUERY = 200
BEFORE, AFTER = 30, 60  # characters around what was found


@dataclass(frozen=True)
class Found:
    """Where the words were said: what stands before them, they themselves, what comes after."""

    before: str
    words: str
    after: str


def listed(user: Any, *, words: str = "", most: int = PAGE) -> list[Piece]:
    """Return the pieces of the list: at most so many conversations, and whether there are more."""
    rows = list(_rows(user, words)[: most + 1])
    shown = rows[:most]
    waiting, said = _waiting(shown), _said(shown, words) if words else {}
    same = Counter(_name(row) for row in shown)
    pieces = [
        piece(
            f"c-{row.pk}",
            "listed.html",
            {"row": row, "waits": row.pk in waiting, "found": said.get(row.pk), "same": same[_name(row)] > 1},
            kind="listed",
        )
        for row in shown
    ]
    if len(rows) > most and most < MOST:
        pieces.append(piece("c-more", "listed_more.html", {"most": min(most + PAGE, MOST)}, kind="more"))
    if words and not rows:
        pieces.append(piece("c-none", "listed_none.html", {"words": words}))
    return pieces


def wanted(query: Any) -> dict[str, Any]:
    """Return what an address asks of the list (`q`, `most`) as `listed` takes it; raises InvalidInput."""
    most = query.get("most", str(PAGE))
    if not (most.isascii() and most.isdigit() and 0 < int(most[:9]) <= MOST):
        raise InvalidInput({"most": f"must be a whole number from 1 to {MOST}"})
    words = query.get("q", "").replace("\0", "").strip()
    if len(words) > LONGEST_QUERY:
        raise InvalidInput({"q": f"has {len(words)} characters; at most {LONGEST_QUERY} are allowed"})
    return {"words": words, "most": int(most)}


def _rows(user: Any, words: str) -> Any:
    rows = conversations.visible_to(user).order_by("-updated_at", "-id")
    if not words:
        return rows
    said = Message.objects.filter(conversation=OuterRef("pk"), content__icontains=words)
    return rows.filter(Q(title__icontains=words) | Exists(said))


def _name(row: Conversation) -> str:
    return row.title.strip().casefold()


def _waiting(rows: Sequence[Conversation]) -> set[Any]:
    goals = Goal.objects.filter(
        conversation__in=[row.pk for row in rows], status=GoalStatus.WAITING, waits_for=WaitsFor.QUESTION
    )
    return set(goals.values_list("conversation_id", flat=True))


def _said(rows: Sequence[Conversation], words: str) -> dict[Any, Found]:
    """Return where the words were said last, by conversation."""
    messages = Message.objects.filter(conversation__in=[row.pk for row in rows], content__icontains=words)
    latest = messages.order_by("conversation_id", "-number").distinct("conversation_id")
    found = {key: _around(content, words) for key, content in latest.values_list("conversation_id", "content")}
    return {key: one for key, one in found.items() if one is not None}


def _around(content: str, words: str) -> Found | None:
    """Return the surroundings of the words; None where Python and Postgres do not agree on what is the same."""
    at = content.lower().find(words.lower())
    if at < 0 or len(content.lower()) != len(content):
        return None
    end = at + len(words)
    before = ("…" if at > BEFORE else "") + content[max(0, at - BEFORE) : at]
    return Found(before, content[at:end], content[end : end + AFTER])
