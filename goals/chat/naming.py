"""What a person can name after an @: the artifacts of the conversation's goals, and the files that were attached."""

from artifacts.models import Artifact
from goals import file_kinds
from goals.models import Attachment, Conversation, Goal

MOST = 20
LOOKED_AT = 200


def names(conversation: Conversation, beginning: str) -> list[dict[str, str]]:
    """Return the newest names that begin so or have a word that does, each once: name, type, description."""
    found: dict[str, dict[str, str]] = {}
    for name, kind, description in [*_artifacts(conversation, beginning), *_files(conversation, beginning)]:
        found.setdefault(name, {"name": name, "type": kind, "description": description[:200]})
    return sorted(found.values(), key=lambda one: not one["name"].lower().startswith(beginning.lower()))[:MOST]


def _artifacts(conversation: Conversation, beginning: str) -> list[tuple[str, str, str]]:
    contexts = Goal.objects.filter(conversation=conversation).values("artifact_context_id")
    rows = Artifact.objects.filter(context_id__in=contexts, version=1, name__icontains=beginning)
    return list(rows.order_by("-created_at").values_list("name", "type", "description")[:LOOKED_AT])


def _files(conversation: Conversation, beginning: str) -> list[tuple[str, str, str]]:
    rows = Attachment.objects.filter(message__conversation=conversation).order_by("-created_at")
    named = [(file_kinds.artifact_name(name), "file", name) for name in rows.values_list("name", flat=True)[:MOST]]
    return [one for one in named if beginning.lower() in one[0].lower()]
