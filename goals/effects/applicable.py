"""Which procedure of the library applies to an objective: found by meaning and words, judged by a model."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from artifacts.services import evidence_keys
from goals.connections import pooled
from goals.driver import Drive
from goals.effects.calls import Call, Target, ask
from goals.effects.embedding import embedder
from sops import retrieval
from sops.models import SopVersion

LEAST_CONFIDENCE = 0.7
CANDIDATES = 5


@dataclass(frozen=True)
class Found:
    """A procedure that applies, what the objective says of its inputs, and why it was chosen."""

    version: SopVersion
    inputs: dict[str, Any]
    notes: str


def find(
    drive: Drive, objective: str, context: str, *, target: Target = None, without: AbstractSet[str] = frozenset()
) -> tuple[Found | None, Call | None]:
    """Return the procedure that applies, with the judge's call, still to be recorded; no call where none is near."""
    with pooled():
        candidates = [c for c in retrieval.search(objective, CANDIDATES, embedder=embedder()) if c.plausible]
        versions = {c.version.sop.slug: c.version for c in candidates if c.version.sop.slug not in without}
        fits = {c.version.sop.slug: round(c.fit, 3) for c in candidates}
        told = [{**_told(version), "fit": fits[slug]} for slug, version in versions.items()]
        keys = sorted(evidence_keys(drive.goal.artifact_context_id))
    if not told:
        return None, None
    call = ask(
        drive, "judge_applicability", target, objective=objective, context=context, candidates=told, evidence=keys
    )
    said = call.value
    version = versions.get(said.sop or "")
    if version is None or said.confidence < LEAST_CONFIDENCE or said.missing_prerequisites:
        return None, call
    wanted = {entry["name"] for entry in version.inputs}
    inputs = {name: value for name, value in said.inputs.items() if name in wanted and value is not None}
    return Found(version, inputs, said.reasoning), call


def _told(version: SopVersion) -> dict[str, Any]:
    return {
        "slug": version.sop.slug,
        "title": version.title,
        "intent": version.intent,
        "description": version.description,
        "prerequisites": version.prerequisites,
        "inputs": version.inputs,
        "tags": version.tags,
        "outputs": version.outputs,
    }
