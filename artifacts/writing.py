"""Making contexts and artifacts: one statement each."""

import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS

from artifacts import storage
from artifacts.clean import clean, clean_text
from artifacts.exceptions import (
    ContextTooDeep,
    InvalidArtifact,
    UnknownContext,
    UnknownSource,
    VersionsContended,
)
from artifacts.fields import as_id, check_texts, cleaned_metadata, source_ids, to_json
from artifacts.kinds import ArtifactType, Storage, Trust
from artifacts.models import Artifact, Context
from artifacts.shapes import shape_of
from artifacts.statements import execute

NO_VALUE: Final = object()  # None is a value: JSON's null

INLINE_BYTES = 64 * 1024
MAX_BYTES = 64 * 1024 * 1024
TRIES = 100

INSERT = """
WITH place AS (SELECT id FROM artifacts_context WHERE id = %(context)s),
source AS (SELECT id, trust FROM artifacts_artifact WHERE id = ANY(%(sources)s::uuid[])),
made AS (
    INSERT INTO artifacts_artifact (id, context_id, name, version, type, storage, value, blob_sha256, size, shape,
        media_type, description, purpose, metadata, trust, created_at)
    SELECT %(id)s::uuid, place.id, %(name)s::text, coalesce(
            (SELECT max(version) FROM artifacts_artifact WHERE context_id = place.id AND name = %(name)s::text), 0) + 1,
        %(type)s::text, %(storage)s::text, %(value)s::jsonb, %(blob_sha256)s::text, %(size)s::bigint, %(shape)s::text,
        %(media_type)s::text, %(description)s::text, %(purpose)s::text, %(metadata)s::jsonb,
        CASE WHEN %(trust)s::text = 'untrusted' OR EXISTS (SELECT 1 FROM source WHERE trust = 'untrusted')
             THEN 'untrusted'
             WHEN %(trust)s::text = 'person' OR EXISTS (SELECT 1 FROM source WHERE trust = 'person') THEN 'person'
             ELSE 'trusted' END,
        clock_timestamp()
    FROM place WHERE (SELECT count(*) FROM source) = cardinality(%(sources)s::uuid[])
    ON CONFLICT (context_id, name, version) DO NOTHING
    RETURNING id, version, trust, created_at
),
lineage AS (
    INSERT INTO artifacts_derivation (artifact_id, source_id) SELECT made.id, source.id FROM made, source
)
SELECT made.version, made.trust, made.created_at, (SELECT count(*) FROM place), (SELECT count(*) FROM source)
FROM (SELECT 1) AS always LEFT JOIN made ON true
"""


def create_context(*, parent: Context | uuid.UUID | str | None = None) -> Context:
    """A new namespace; a child sees its ancestors' artifacts. Raises UnknownContext, ContextTooDeep."""
    if parent is not None and not isinstance(parent, Context):
        parent = Context.objects.filter(id=parent).first()
        if parent is None:
            raise UnknownContext("parent: there is no such context")
    path = list(parent.path) if parent else []
    if len(path) >= Context.MAX_DEPTH:
        raise ContextTooDeep(f"parent: contexts may be nested {Context.MAX_DEPTH} deep")
    context = Context(parent=parent)
    context.path = [context.id, *path]
    context.save(force_insert=True)
    return context


def create_artifact(
    *,
    context: Context | uuid.UUID | str,
    name: str,
    type: str,
    value: Any = NO_VALUE,
    blob: bytes | None = None,
    description: str,
    purpose: str = "",
    metadata: Mapping[str, Any] | None = None,
    trust: str = Trust.TRUSTED,
    derived_from: Iterable[Artifact | uuid.UUID | str] = (),
    media_type: str = "",
) -> Artifact:
    """Write the next version of the artifact `name` in this context: one statement, safe under races.

    Exactly one of `value` (any JSON value; None is null) and `blob` is given. The artifact's trust is the worst of
    `trust` and that of its sources. Raises InvalidArtifact or UncleanValue (naming the field), UnknownContext,
    UnknownSource, and VersionsContended when others were faster too often.
    """
    check_texts(name=name, type=type, description=description, purpose=purpose, trust=trust, media_type=media_type)
    sources = source_ids(derived_from)
    artifact = Artifact(
        context_id=as_id("context", context.id if isinstance(context, Context) else context),
        name=name,
        type=ArtifactType(type),
        description=clean_text(description),
        purpose=clean_text(purpose),
        metadata=cleaned_metadata(metadata),
        trust=Trust(trust),
        media_type=media_type or ("application/json" if blob is None else "application/octet-stream"),
    )
    value_json = _place(artifact, value, blob)
    _insert(artifact, value_json, sources)
    return artifact


def _place(artifact: Artifact, value: Any, blob: bytes | None) -> str | None:
    """Set where the content lies and its size. Returns the JSON text for the row, None when it went to a blob."""
    if (value is NO_VALUE) == (blob is None):
        raise InvalidArtifact("value", "exactly one of value and blob is given")
    if blob is not None:
        return _place_blob(artifact, Storage.BYTES, bytes(blob), shape_of(bytes(blob)))
    cleaned = clean(value)
    text = to_json(cleaned)
    data = text.encode()
    if len(data) > INLINE_BYTES:
        return _place_blob(artifact, Storage.JSON, data, shape_of(cleaned))
    artifact.storage, artifact.value = Storage.INLINE, cleaned
    artifact.size, artifact.shape = len(data), shape_of(cleaned)
    return text


def _place_blob(artifact: Artifact, form: Storage, data: bytes, shape: str) -> None:
    if len(data) > MAX_BYTES:
        raise InvalidArtifact("value", f"{len(data)} bytes; at most {MAX_BYTES} are allowed")
    artifact.storage, artifact.blob_sha256 = form, storage.write(data)
    artifact.size, artifact.shape = len(data), shape


def _insert(artifact: Artifact, value_json: str | None, sources: list[uuid.UUID]) -> None:
    row = {
        "id": artifact.id,
        "context": artifact.context_id,
        "name": artifact.name,
        "type": artifact.type.value,
        "storage": artifact.storage.value,
        "value": value_json,
        "blob_sha256": artifact.blob_sha256,
        "size": artifact.size,
        "shape": artifact.shape,
        "media_type": artifact.media_type,
        "description": artifact.description,
        "purpose": artifact.purpose,
        "metadata": to_json(artifact.metadata),
        "trust": artifact.trust.value,
        "sources": sources,
    }
    for _ in range(TRIES):
        version, trust, created_at, places, found = execute(INSERT, row).fetchone()
        if not places:
            raise UnknownContext(f"context: there is no context {artifact.context_id}")
        if found != len(sources):
            raise UnknownSource(f"derived_from: {len(sources) - found} of {len(sources)} artifacts do not exist")
        if version is not None:
            artifact.version, artifact.trust, artifact.created_at = version, Trust(trust), created_at
            artifact._state.adding, artifact._state.db = False, DEFAULT_DB_ALIAS
            return
    raise VersionsContended(f"name: others wrote the next version of @{artifact.name} first, {TRIES} times")
