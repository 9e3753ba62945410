"""The perspectives of a version: what a goal's words and meaning are compared with."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction

from sops.embedding import Embedder, current_embedder
from sops.exporter import spec_of
from sops.models import Perspective, PerspectiveKind, SopVersion
from sops.schema import SopSpec, StepSpec


@dataclass(frozen=True)
class Prepared:
    kind: str
    text: str
    embedding: list[float]
    embedder: str


def perspectives(spec: SopSpec) -> list[tuple[str, str]]:
    """(kind, text) of every way of looking at the procedure. A tag of several words is a way of saying the goal."""
    phrases = [tag for tag in spec.tags if len(tag.split()) > 2]
    words = [tag for tag in spec.tags if len(tag.split()) <= 2]
    found = [
        (PerspectiveKind.INTENT, f"{spec.title}. {spec.intent}"),
        (PerspectiveKind.INTENT, f"{spec.title}. {', '.join(words)}" if words else ""),
        *((PerspectiveKind.INTENT, phrase) for phrase in phrases),
        (PerspectiveKind.PRECONDITIONS, ". ".join([*spec.prerequisites, *(line(i) for i in spec.inputs)])),
        (PerspectiveKind.TOOLS, ", ".join(sorted(tool.replace("_", " ") for tool in spec.tools()))),
        (PerspectiveKind.OUTCOMES, ". ".join([spec.description, *(line(o) for o in spec.outputs)]).strip(". ")),
        *((PerspectiveKind.STEP, step_text(step)) for step in spec.steps),
    ]
    return [(str(kind), text) for kind, text in found if text]


def line(entry) -> str:
    return f"{entry.name.replace('_', ' ')}: {entry.description}" if entry.description else entry.name.replace("_", " ")


def step_text(step: StepSpec) -> str:
    return f"{step.title}. {step.gloss}" if step.title else step.gloss


def prepare(spec: SopSpec, embedder: Embedder | None = None) -> list[Prepared]:
    """The rows to be, with their vectors: the only part that may reach an endpoint."""
    embedder = embedder or current_embedder()
    texts = perspectives(spec)
    vectors = embedder.embed([text for _, text in texts])
    return [Prepared(kind, text, vector, embedder.name) for (kind, text), vector in zip(texts, vectors, strict=True)]


def write(version: SopVersion, prepared: Iterable[Prepared]) -> None:
    """Put these in place of whatever its SOP had: only current versions are searched, so only they are kept."""
    with transaction.atomic():
        Perspective.objects.filter(version__sop_id=version.sop_id).delete()
        Perspective.objects.bulk_create(
            Perspective(version=version, kind=p.kind, text=p.text, embedding=p.embedding, embedder=p.embedder)
            for p in prepared
        )


def index(versions: Iterable[SopVersion] | None = None) -> int:
    """Make the perspectives of the versions (all current ones) anew with the embedder of today; how many versions."""
    chosen = list(SopVersion.objects.filter(is_current=True) if versions is None else versions)
    for version in chosen:
        write(version, prepare(spec_of(version)))
    return len(chosen)
