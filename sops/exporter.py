"""Procedures written out again, in a form that the importer reads back to the same digest."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from sops.models import SopVersion
from sops.schema import SopSpec


def spec_of(version: SopVersion) -> SopSpec:
    """The text of a stored version; its steps come in order (one query unless prefetched)."""
    fields = ("title", "intent", "description", "prerequisites", "inputs", "outputs", "tags", "quality", "verifier")
    return SopSpec.model_validate(
        {
            "slug": version.sop.slug,
            **{field: getattr(version, field) for field in fields},
            "steps": [step_of(step) for step in sorted(version.steps.all(), key=lambda step: step.position)],
        }
    )


def step_of(step: Any) -> dict[str, Any]:
    fields = ("title", "gloss", "predicate", "tools", "args", "done_when", "prompt")
    return {
        **{field: getattr(step, field) for field in fields},
        "operation": step.operation or None,
        "evidence_key": step.evidence_key or None,
    }


def to_yaml(spec: SopSpec) -> str:
    return yaml.safe_dump(spec.plain(), sort_keys=False, allow_unicode=True, width=110)


def export(folder: Path, *, slugs: Iterable[str] | None = None) -> list[Path]:
    """One `SLUG.yaml` for the current version of each SOP (or of those named, whatever their status)."""
    versions = SopVersion.objects.filter(is_current=True).select_related("sop").prefetch_related("steps")
    if slugs is not None:
        versions = versions.filter(sop__slug__in=list(slugs))
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for version in versions:
        path = folder / f"{version.sop.slug}.yaml"
        path.write_text(to_yaml(spec_of(version)), encoding="utf-8")
        written.append(path)
    return written
