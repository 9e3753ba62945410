"""The one writer of procedures: a text becomes the next version of its SOP, or none when nothing changed."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max

from sops import indexing
from sops.models import Sop, SopOrigin, SopStatus, SopStep, SopVersion
from sops.schema import SopSpec


@dataclass(frozen=True)
class Stored:
    """What became of one text: `change` is created, updated or unchanged."""

    slug: str
    number: int
    change: str
    version: SopVersion


def store_all(
    specs: Iterable[SopSpec], *, origin: str = SopOrigin.IMPORTED, status: str = SopStatus.ACTIVE
) -> list[Stored]:
    """All in one transaction, locked in order of slug so that two loads at once cannot wait for each other.

    The embeddings are computed before it, so that no transaction waits for an embedding endpoint.
    """
    ordered = sorted(specs, key=lambda spec: spec.slug)
    prepared = [(spec, indexing.prepare(spec) if is_new(spec, origin) else ()) for spec in ordered]
    with transaction.atomic():
        return [store_one(spec, rows, origin, status) for spec, rows in prepared]


def is_new(spec: SopSpec, origin: str) -> bool:
    return said_already(spec, origin) is None


def said_already(spec: SopSpec, origin: str) -> SopVersion | None:
    """The version that makes this text nothing new: the current one, whoever said it, or what this origin said last.

    So an operator's own version in between is not overruled by an unchanged file.
    """
    versions = SopVersion.objects.filter(sop__slug=spec.slug)
    last = versions.filter(origin=origin).order_by("-number").first()
    current = versions.filter(is_current=True).first()
    return next((version for version in (current, last) if version and version.digest == spec.digest()), None)


def store_one(spec: SopSpec, prepared: Iterable, origin: str, status: str) -> Stored:
    sop, created = Sop.objects.get_or_create(slug=spec.slug, defaults={"status": status})
    sop = Sop.objects.select_for_update().get(pk=sop.pk)
    if not created and (known := said_already(spec, origin)):
        return Stored(spec.slug, known.number, "unchanged", known)
    number = (sop.versions.aggregate(last=Max("number"))["last"] or 0) + 1
    version = write_version(sop, spec, number=number, origin=origin)
    indexing.write(version, prepared or indexing.prepare(spec))
    return Stored(spec.slug, number, "created" if created else "updated", version)


def write_version(sop: Sop, spec: SopSpec, *, number: int, origin: str) -> SopVersion:
    """The row of the version and of its steps; it becomes the current one."""
    plain = spec.model_dump(mode="json", exclude={"slug", "steps"})
    sop.versions.filter(is_current=True).update(is_current=False)
    version = SopVersion.objects.create(
        sop=sop, number=number, is_current=True, origin=origin, digest=spec.digest(), **plain
    )
    SopStep.objects.bulk_create(
        SopStep(
            version=version,
            position=position,
            **{
                **step.model_dump(mode="json"),
                "operation": step.operation or "",
                "evidence_key": step.evidence_key or "",
            },
        )
        for position, step in enumerate(spec.steps)
    )
    return version
