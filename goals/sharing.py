"""Goals shown to others by their owner: each act is an event, and each share can be withdrawn.

A person sees a goal whole, as its owner does, and moves nothing. A link shows whoever has it how a goal ended. Its
token has 256 random bits; only its hash is kept. What is unknown, withdrawn, run out, or of a goal that goes on again
is answered alike: there is nothing.
"""

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone

from goals import announce, people, services, validation
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
            raise StaleGoal(f"the goal is {writer.goal.status}; only an ended goal can be shared by a link")
        if Share.objects.live(writer.now).filter(goal=goal).count() >= MOST_LIVE:
            raise StaleGoal(f"the goal is shared {MOST_LIVE} times already; withdraw one first")
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


def share_with(user: Any, goal_id: Any, name: Any, *, days: Any = None) -> Share:
    """Let the person of this name see a goal, for some days or until it is withdrawn."""
    goal = _own(user, goal_id)
    viewer, days = validation.collect(lambda: _viewer(user, name), lambda: _days(days))
    with writing(goal.pk, actor=user) as writer:
        live = Share.objects.live(writer.now).filter(goal=goal)
        if live.filter(viewer=viewer).exists():
            raise StaleGoal(f"the goal is shared with {viewer} already; withdraw that to share it anew")
        if live.count() >= MOST_LIVE:
            raise StaleGoal(f"the goal is shared {MOST_LIVE} times already; withdraw one first")
        ends = writer.now + timedelta(days=days) if days else None
        made = Share.objects.create(goal=goal, viewer=viewer, created_by=user, created_at=writer.now, expires_at=ends)
        told = {"share": str(made.pk), "with": viewer.get_username(), "until": ends.isoformat() if ends else None}
        writer.event("goal.shared", told)
    return made


def _viewer(user: Any, name: Any) -> Any:
    """Return who has this name and may sign in; raises InvalidInput."""
    found = people.named("person", name)
    if found.pk == user.pk:
        raise InvalidInput({"person": "is yourself; name somebody else"})
    return found


def withdraw(user: Any, goal_id: Any, share_id: Any) -> Share:
    """End a share at once; its owner's act, or an operator's."""
    goal = services.to_move(user, goal_id)
    with writing(goal.pk, actor=user) as writer:
        try:
            found = Share.objects.get(goal=goal, pk=share_id)
        except (Share.DoesNotExist, ValidationError, ValueError, TypeError):
            raise NotFound(f"the goal has no share {str(share_id)[:80]}") from None
        if found.revoked_at:
            raise StaleGoal("it was withdrawn already")
        found.revoked_at = writer.now
        found.save(update_fields=["revoked_at"])
        whom = {"with": found.viewer.get_username()} if found.viewer else {}
        writer.event("goal.unshared", {"share": str(found.pk), **whom})
        announce.send(announce.goal_group(goal.pk), {"type": "access.changed"})
    return found


def withdraw_all(user: Any, goal_id: Any) -> int:
    """End every share of a goal; returns how many there were."""
    shares = shares_of(services.to_move(user, goal_id))
    for found in shares:
        withdraw(user, goal_id, found.pk)
    return len(shares)


def shares_of(goal: Goal) -> list[Share]:
    """Return the shares that still show something, with persons and by link, the latest first."""
    live = Share.objects.live(timezone.now()).filter(goal=goal)
    return list(live.select_related("viewer").order_by("-created_at"))


def opened(token: str) -> Goal:
    """Return the goal that a link shows; raises NotFound."""
    link = Share.objects.live(timezone.now()).filter(token_hash=_hash(token), goal__status__in=ENDED)
    found = link.select_related("goal").first()
    if found is None:
        raise NotFound("there is nothing at this address; the link may have been withdrawn, or its time is over")
    return found.goal


def _own(user: Any, goal_id: Any) -> Goal:
    goal = services.to_move(user, goal_id)
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
