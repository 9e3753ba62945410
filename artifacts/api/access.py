"""Whose artifacts a person may read: decided by the room that owns the contexts, named by a setting."""

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db.models import QuerySet
from django.utils.module_loading import import_string

from artifacts.models import Artifact


def visible_artifacts(user) -> QuerySet[Artifact]:
    """The artifacts in the contexts that `GOALSITE_ARTIFACT_ACCESS` (a callable's dotted path) gives for this user.

    Without the setting nobody sees any.
    """
    path = getattr(settings, "GOALSITE_ARTIFACT_ACCESS", "")
    if not path:
        return Artifact.objects.none()
    try:
        visible_contexts = import_string(path)
    except ImportError as error:
        raise ImproperlyConfigured(f"GOALSITE_ARTIFACT_ACCESS: {error}") from error
    return Artifact.objects.filter(context_id__in=visible_contexts(user))
