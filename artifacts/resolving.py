"""References looked up in the database: one statement for all latest ones, one for each fixed version."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from artifacts import references
from artifacts.exceptions import ArtifactError
from artifacts.kinds import Storage, Trust
from artifacts.models import Artifact, Context
from artifacts.reading import evidence_keys, latest, lookup
from artifacts.references import Reference, UnknownReference

ORDER = {Trust.TRUSTED: 0, Trust.PERSON: 1, Trust.UNTRUSTED: 2}


class NotAValue(ArtifactError):
    """The referenced artifact holds bytes that are no text, which no JSON value can carry."""


@dataclass(frozen=True)
class Resolved:
    """A value with its references replaced, and the artifacts that it was made of."""

    value: Any
    sources: tuple[Artifact, ...]

    @property
    def trust(self) -> Trust:
        """The worst label among the sources; trusted without any."""
        return max((Trust(source.trust) for source in self.sources), key=ORDER.__getitem__, default=Trust.TRUSTED)


def resolve_references(context: Context | uuid.UUID | str, value: Any) -> Resolved:
    """Replace every reference in the value by what this context sees.

    Raises UnknownReference, UnknownPath, NotAValue, BlobMissing or BlobDamaged.
    """
    found = _artifacts(context, references.find(value))
    contents: dict[uuid.UUID, Any] = {}

    def content(reference: Reference) -> Any:
        artifact = found[reference.name, reference.version]
        if artifact.id not in contents:
            contents[artifact.id] = value_of(artifact)
        return contents[artifact.id]

    resolved = references.resolve(value, content, known=lambda: evidence_keys(context))
    return Resolved(resolved, tuple({artifact.id: artifact for artifact in found.values()}.values()))


def value_of(artifact: Artifact) -> Any:
    """The artifact's content as a JSON value; bytes that are UTF-8 become a text. Raises NotAValue."""
    content = artifact.content()
    if artifact.storage != Storage.BYTES:
        return content
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise NotAValue(f"@{artifact.name} holds {artifact.shape} of {artifact.media_type}, which is no text") from None


def _artifacts(
    context: Context | uuid.UUID | str, wanted: tuple[Reference, ...]
) -> Mapping[tuple[str, int | None], Artifact]:
    names = [reference.name for reference in wanted if reference.version is None]
    found = {(name, None): artifact for name, artifact in latest(context, names).items()} if names else {}
    for reference in wanted:
        key = (reference.name, reference.version)
        if key not in found and reference.version is not None:
            artifact = lookup(context, *key)
            if artifact is None:
                raise UnknownReference(reference, evidence_keys(context))
            found[key] = artifact
    return found
