"""Whose artifacts a person may read: decided by the room that owns the contexts, named by a setting."""

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db.models import QuerySet
from django.utils.module_loading import import_string

from artifacts.models import Artifact, Context


def visible_artifacts(user) -> QuerySet[Artifact]:
    """The artifacts that this user may see."""
    return seen_by(user, Artifact.objects.all(), "context")


def seen_by(user, rows: QuerySet, path: str) -> QuerySet:
    """Of rows that belong, over `path`, to a context: those whose context this user may see.

    `GOALSITE_ARTIFACT_ACCESS` (a callable's dotted path) gives the contexts, or None for all of them; without the
    setting nobody sees any.
    """
    contexts = _contexts(user)
    return rows if contexts is None else rows.filter(**{f"{path}__in": contexts})


def _contexts(user) -> QuerySet | None:
    path = getattr(settings, "GOALSITE_ARTIFACT_ACCESS", "")
    if not path:
        return Context.objects.none().values("id")
    try:
        visible_contexts = import_string(path)
    except ImportError as error:
        raise ImproperlyConfigured(f"GOALSITE_ARTIFACT_ACCESS: {error}") from error
    return visible_contexts(user)
