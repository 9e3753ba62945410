"""What a model may do with goals for a person: with that person's own goals, by the services, and never with money.

In a conversation it reaches the goals of the conversation's owner; within a goal only those that this goal has made.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from artifacts.services import catalogue
from goals import services
from goals.chat.standing import current_goal, goal_in_words, why
from goals.exceptions import InvalidInput, NotFound, StaleGoal
from goals.models import Conversation, Goal

MOST_MADE = 10
MOST_TOLD = 10
ACTS: dict[str, Callable[[Any, Any, str], Goal]] = {
    "pause": lambda owner, goal_id, text: services.pause(owner, goal_id, reason=text),
    "resume": lambda owner, goal_id, text: services.resume(owner, goal_id),
    "cancel": lambda owner, goal_id, text: services.cancel(owner, goal_id, reason=text),
    "steer": lambda owner, goal_id, text: services.steer(owner, goal_id, text),
    "revise": lambda owner, goal_id, text: services.revise(owner, goal_id, text),
}


@dataclass(frozen=True)
class Asker:
    """For whom a model acts: a person in a conversation, or (then `goal` is set) a goal of theirs at work."""

    owner: Any
    conversation: Conversation | None
    goal: Goal | None = None


def for_goal(goal_id: Any) -> Asker:
    """Return the asker that a goal at work is."""
    goal = Goal.objects.select_related("owner", "conversation").get(pk=goal_id)
    return Asker(goal.owner, goal.conversation, goal)


def create(asker: Asker, *, objective: str, context: str, constraints: str) -> Goal:
    """Take a goal; one that a goal makes draws on that goal's budget, and neither chain nor crowd grows for ever."""
    if asker.goal is not None:
        _refuse_more(asker.goal)
    return services.submit(
        owner=asker.owner,
        conversation=asker.conversation,
        parent=asker.goal,
        objective=objective,
        context=context,
        constraints=constraints,
    )


def _refuse_more(goal: Goal) -> None:
    depth, above = 1, goal.parent
    while above is not None:
        depth, above = depth + 1, above.parent
    if depth > settings.GOALSITE_MAX_NESTING:
        raise StaleGoal(f"goals may make goals at most {settings.GOALSITE_MAX_NESTING} deep; this one may make none")
    if Goal.objects.filter(parent=goal).count() >= MOST_MADE:
        raise StaleGoal(f"this goal has made {MOST_MADE} goals; it may make no more")


def status(asker: Asker, goal_id: str | None) -> list[dict[str, Any]]:
    """Return how one goal stands, or the latest ones of the conversation (within a goal: those it has made)."""
    if goal_id:
        return [_told(find(asker, goal_id))]
    goals = _reachable(asker)
    if asker.goal is None:
        goals = goals.filter(conversation=asker.conversation)
    return [_told(goal) for goal in goals.order_by("-created_at")[:MOST_TOLD]]


def manage(asker: Asker, goal_id: str | None, action: str, text: str) -> Goal:
    """Pause, resume, cancel, steer or revise one goal."""
    goal = find(asker, goal_id) if goal_id else _meant(asker)
    if action not in ACTS:
        raise InvalidInput({"action": f"must be one of {', '.join(ACTS)}"})
    return ACTS[action](asker.owner, goal.pk, text)


def find(asker: Asker, goal_id: str) -> Goal:
    """Return a goal that the asker may reach; raises NotFound for any other, whoever owns it."""
    try:
        return _reachable(asker).get(pk=goal_id)
    except (Goal.DoesNotExist, ValidationError, ValueError):
        raise NotFound(f"there is no such goal: {goal_id[:80]}") from None


def _meant(asker: Asker) -> Goal:
    if asker.goal is None and asker.conversation is not None:
        goal = current_goal(asker.conversation)
        if goal is not None and goal.owner_id == asker.owner.pk:
            return goal
    raise NotFound("say which goal is meant, by its id")


def _reachable(asker: Asker) -> QuerySet[Goal]:
    goals = Goal.objects.filter(owner=asker.owner)
    return goals if asker.goal is None else goals.filter(pk__in=_made_by(asker.goal))


def _made_by(goal: Goal) -> set[Any]:
    """Return the keys of the goals that this one has made, and of those that these have made."""
    found: set[Any] = set()
    latest: set[Any] = {goal.pk}
    while latest:
        latest = set(Goal.objects.filter(parent__in=latest).values_list("pk", flat=True)) - found
        found |= latest
    return found


def _told(goal: Goal) -> dict[str, Any]:
    return {
        "goal": str(goal.pk),
        "objective": goal.objective[:1000],
        "status": goal.status,
        "in_words": goal_in_words(goal),
        "why": why(goal)[:1000],
        "summary": goal.summary[:2000],
        "artifacts": catalogue(goal.artifact_context_id)[:2000] if goal.is_ended else "",
    }
