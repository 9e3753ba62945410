"""Links to finished goals: made and withdrawn by their owner, each act an event, read by whoever has one.

A token has 256 random bits; only its hash is kept. What is unknown, withdrawn, run out, or of a goal that goes on
again is answered alike: there is nothing.
"""

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone

from goals import services
from goals.exceptions import InvalidInput, NotAllowed, NotFound, StaleGoal
from goals.models import Goal, Share
from goals.models.goal import ENDED
from goals.transitions import writing

MOST_DAYS = 365
MOST_LIVE = 20


def share(user: Any, goal_id: Any, *, days: Any = None) -> tuple[Share, str]:
    """Make a link to an ended goal, for some days or until it is withdrawn; returns it with its token, once."""
    days = _days(days)
    goal = _own(user, goal_id)
    with writing(goal.pk, actor=user) as writer:
        if writer.goal.status not in ENDED:
            raise StaleGoal(f"the goal is {writer.goal.status}; only an ended goal can be shared")
        if Share.objects.live(writer.now).filter(goal=goal).count() >= MOST_LIVE:
            raise StaleGoal(f"the goal has {MOST_LIVE} links already; withdraw one first")
        token = secrets.token_urlsafe(32)
        made = Share.objects.create(
            goal=goal,
            token_hash=_hash(token),
            created_by=user,
            created_at=writer.now,
            expires_at=writer.now + timedelta(days=days) if days else None,
        )
        until = made.expires_at.isoformat() if made.expires_at else None
        writer.event("goal.shared", {"share": str(made.pk), "until": until})
    return made, token


def withdraw(user: Any, goal_id: Any, share_id: Any) -> Share:
    """End a link at once; its owner's act, or an operator's."""
    goal = services.find(user, goal_id)
    with writing(goal.pk, actor=user) as writer:
        try:
            found = Share.objects.get(goal=goal, pk=share_id)
        except (Share.DoesNotExist, ValidationError, ValueError, TypeError):
            raise NotFound(f"the goal has no link {str(share_id)[:80]}") from None
        if found.revoked_at:
            raise StaleGoal("the link was withdrawn already")
        found.revoked_at = writer.now
        found.save(update_fields=["revoked_at"])
        writer.event("goal.unshared", {"share": str(found.pk)})
    return found


def withdraw_all(user: Any, goal_id: Any) -> int:
    """End every link to a goal; returns how many there were."""
    links = links_of(services.find(user, goal_id))
    for found in links:
        withdraw(user, goal_id, found.pk)
    return len(links)


def links_of(goal: Goal) -> list[Share]:
    """Return the links that still open something, the latest first."""
    return list(Share.objects.live(timezone.now()).filter(goal=goal).order_by("-created_at"))


def opened(token: str) -> Goal:
    """Return the goal that a link shows; raises NotFound."""
    link = Share.objects.live(timezone.now()).filter(token_hash=_hash(token), goal__status__in=ENDED)
    found = link.select_related("goal").first()
    if found is None:
        raise NotFound("there is nothing at this address; the link may have been withdrawn, or its time is over")
    return found.goal


def _own(user: Any, goal_id: Any) -> Goal:
    goal = services.find(user, goal_id)
    if goal.owner_id != user.pk:
        raise NotAllowed("a goal is shared by its owner only")
    return goal


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def _days(days: Any) -> int | None:
    if days in (None, ""):
        return None
    text = str(days)
    if isinstance(days, bool) or not (text.isascii() and text.isdigit()) or not 1 <= int(text[:9]) <= MOST_DAYS:
        raise InvalidInput({"days": f"must be a whole number from 1 to {MOST_DAYS}, or nothing for no end"})
    return int(text)
