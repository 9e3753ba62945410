"""Who may see what over HTTP: one's own, or everything for an operator (`goals.operate`)."""

from typing import Any

from django.db.models import QuerySet

from artifacts.models import Context
from goals.models import Goal


def is_operator(user: Any) -> bool:
    return bool(user.is_active and user.has_perm("goals.operate"))


def visible_contexts(user: Any) -> QuerySet:
    """Return the ids of the artifact contexts that a person may read (`settings.GOALSITE_ARTIFACT_ACCESS`).

    A forked goal's context has its origin's as parent; both belong to one owner, so nothing above is missing.
    """
    if is_operator(user):
        return Context.objects.values("id")
    return Goal.objects.owned_by(user).values("artifact_context_id")
