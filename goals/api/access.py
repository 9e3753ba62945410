"""Who may see what over HTTP: one's own and what is shared with one, or everything for an operator."""

from typing import Any

from django.db.models import Q, QuerySet

from artifacts.models import Context
from goals.models import Goal
from goals.seeing import is_operator, shown_to

__all__ = ["is_operator", "visible_contexts"]


def visible_contexts(user: Any) -> QuerySet | None:
    """Return the ids of the artifact contexts that a person may read (`settings.GOALSITE_ARTIFACT_ACCESS`); None: all.

    A forked goal's context has its origin's as parent; both belong to one owner, so nothing above is missing. Whoever
    is shown the fork alone sees, as the fork does, the artifacts that it began with.
    """
    if is_operator(user):
        return None
    own = Goal.objects.filter(owner_id=user.pk).values("artifact_context_id")
    shown = shown_to(user)
    if not shown:
        return own
    of_goals = Goal.objects.filter(pk__in=shown).values("artifact_context_id")
    paths = Context.objects.filter(pk__in=of_goals).values_list("path", flat=True)
    seen = {context for path in paths for context in path}
    return Context.objects.filter(Q(pk__in=own) | Q(pk__in=seen)).values("id")
