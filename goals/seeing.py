"""Who may see a goal and who may move it (DESIGN rule 8), for every face.

Its owner and an operator (`goals.operate`) do both; a person with whom it is shared sees it; nobody else does either.
"""

from typing import Any

from django.db.models import Q, QuerySet

from goals.models import Goal, Question, Share

MOST_SHOWN = 50


def is_operator(user: Any) -> bool:
    """Whether somebody sees and moves everybody's goals."""
    return bool(user.has_perm("goals.operate"))


def may_move(user: Any, goal: Goal) -> bool:
    return goal.owner_id == user.pk or is_operator(user)


def may_see(user: Any, goal: Goal) -> bool:
    return may_move(user, goal) or Share.objects.with_person(user).filter(goal=goal).exists()


def visible_goals(user: Any) -> QuerySet[Goal]:
    """Return the goals that a person may see; what is shown to them is looked up first: lists stay indexed."""
    if is_operator(user):
        return Goal.objects.all()
    shown = shown_to(user)
    return Goal.objects.filter(Q(owner_id=user.pk) | Q(pk__in=shown) if shown else Q(owner_id=user.pk))


def visible_questions(user: Any) -> QuerySet[Question]:
    """Return the questions of these goals."""
    if is_operator(user):
        return Question.objects.all()
    shown = shown_to(user)
    own = Q(goal__owner_id=user.pk)
    return Question.objects.filter(own | Q(goal_id__in=shown) if shown else own)


def latest_shown_to(user: Any) -> list[Goal]:
    """Return others' goals that are shared with a person now, the latest share first."""
    shares = Share.objects.with_person(user).select_related("goal__owner").order_by("-created_at")
    return [share.goal for share in shares[:MOST_SHOWN]]


def shown_to(user: Any) -> list[Any]:
    """Return the ids of others' goals that are shared with a person now."""
    return list(Share.objects.with_person(user).values_list("goal_id", flat=True).distinct())
