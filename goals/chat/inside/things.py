"""An artifact: a preview of its value, its versions, and what it was made of and for."""

from typing import Any

from artifacts.exceptions import ArtifactError
from artifacts.kinds import ArtifactType, Storage, Trust
from artifacts.models import Artifact
from goals.chat import markdown
from goals.chat.inside.values import as_json, shown
from goals.chat.pieces import Piece, piece
from goals.chat.results import beginning
from goals.exceptions import NotFound
from goals.models import Goal

MOST = 100
PICTURES = {"image/png", "image/jpeg", "image/gif"}
LARGEST_PREVIEW = 2_000_000  # bytes


def artifact(goal: Goal, row_id: Any) -> tuple[str, list[Piece]]:
    """Return the title and the pieces of one artifact."""
    row = find(goal, row_id)
    metadata = row.metadata if isinstance(row.metadata, dict) else {}
    text, files = text_of(row), _files(metadata)
    versions = Artifact.objects.filter(context_id=row.context_id, name=row.name).defer("value", "metadata")
    context = {
        "goal": goal,
        "row": row,
        "base": f"artifacts/{row.pk}",
        "value": shown(text, "value"),
        "html": markdown.render(text[:20_000]) if text and _is_markdown(row) else "",
        "hidden": text is None,
        "is_image": row.storage == Storage.BYTES and row.media_type in PICTURES,
        "versions": list(versions.order_by("-version")[:MOST]),
        "sources": list(row.derived_from.defer("value").order_by("name", "version")[:MOST]),
        "uses": list(
            row.derived.filter(context_id__in=goal.artifact_context.path).defer("value").order_by("name")[:MOST]
        ),
        "files": files,
        "preview": markdown.render(beginning(goal, files[-1])[0]) if files else "",
        "tool": metadata.get("tool", ""),
        "call": metadata.get("call", ""),
        "subgoal": metadata.get("subgoal", ""),
        "question": metadata.get("question", ""),
    }
    return str(row), [piece("i-artifact", "inside/artifact.html", context)]


def part(goal: Goal, row_id: Any, name: str) -> Any:
    """Return the whole of an artifact's `value`, where it is a text that is not too large."""
    return text_of(find(goal, row_id)) if name == "value" else None


def find(goal: Goal, row_id: Any) -> Artifact:
    """Return an artifact that the goal sees; raises NotFound."""
    found = Artifact.objects.filter(pk=row_id, context_id__in=goal.artifact_context.path).first()
    if found is None:
        raise NotFound("the goal sees no such artifact")
    return found


def text_of(row: Artifact) -> str | None:
    """Return an artifact's value as a text; None for bytes that are none, and what is missing or too large."""
    if row.size > LARGEST_PREVIEW:
        return None
    try:
        value = row.content()
    except ArtifactError:
        return None
    if isinstance(value, bytes):
        return None if b"\0" in value[:8192] else value.decode("utf-8", errors="replace")
    return value if isinstance(value, str) else as_json(value)


def _files(metadata: dict[str, Any]) -> list[str]:
    given = metadata.get("files")
    return [path for path in given if isinstance(path, str)] if isinstance(given, list) else []


def _is_markdown(row: Artifact) -> bool:
    return row.type == ArtifactType.TEXT and row.trust != Trust.UNTRUSTED
