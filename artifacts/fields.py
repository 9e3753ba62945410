"""What the fields of a new artifact may be. Each refusal is an InvalidArtifact that names its field."""

import json
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from artifacts.clean import clean, clean_text
from artifacts.exceptions import InvalidArtifact
from artifacts.kinds import ArtifactType, Trust
from artifacts.models import Artifact
from artifacts.references import MAX_NAME, NAME

MAX_TEXT = 10_000
MAX_METADATA_BYTES = 64 * 1024
MAX_SOURCES = 1_000


def check_texts(**fields: str) -> None:
    """Refuse a name, type, trust label, description, purpose or media type that is not allowed."""
    for field, text in fields.items():
        if not isinstance(text, str):
            raise InvalidArtifact(field, f"must be a text, not {text.__class__.__name__}")
        if len(text) > MAX_TEXT:
            raise InvalidArtifact(field, f"{len(text)} characters; at most {MAX_TEXT} are allowed")
    if not NAME.fullmatch(fields["name"]):
        raise InvalidArtifact(
            "name", f"{fields['name'][:MAX_NAME]!r}: a letter or _, then letters, digits, _ or -, at most {MAX_NAME}"
        )
    if fields["type"] not in ArtifactType.values:
        raise InvalidArtifact("type", f"{fields['type'][:40]!r} is none of {', '.join(ArtifactType.values)}")
    if fields["trust"] not in Trust.values:
        raise InvalidArtifact("trust", f"{fields['trust'][:40]!r} is none of {', '.join(Trust.values)}")
    if not clean_text(fields["description"]).strip():
        raise InvalidArtifact("description", "must say what the artifact is")
    if len(fields["media_type"]) > 100 or not fields["media_type"].isascii() or not fields["media_type"].isprintable():
        raise InvalidArtifact("media_type", "at most 100 printable ASCII characters")


def cleaned_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Metadata as it is stored: clean and of bounded size."""
    cleaned = clean(dict(metadata or {}))
    if len(to_json(cleaned).encode()) > MAX_METADATA_BYTES:
        raise InvalidArtifact("metadata", f"more than {MAX_METADATA_BYTES} bytes of JSON")
    return cleaned


def source_ids(derived_from: Iterable[Artifact | uuid.UUID | str]) -> list[uuid.UUID]:
    """The ids of the sources, each once."""
    ids = {as_id("derived_from", source.id if isinstance(source, Artifact) else source) for source in derived_from}
    if len(ids) > MAX_SOURCES:
        raise InvalidArtifact("derived_from", f"{len(ids)} artifacts; at most {MAX_SOURCES} are allowed")
    return sorted(ids)


def as_id(field: str, value: uuid.UUID | str) -> uuid.UUID:
    """The UUID that the field gives, as one or as its text."""
    if isinstance(value, uuid.UUID):
        return value
    try:
        return uuid.UUID(str(value))
    except ValueError:
        raise InvalidArtifact(field, f"{str(value)[:60]!r} is no UUID") from None


def to_json(value: Any) -> str:
    """The value as compact JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
