"""Which of the wanted keys are known, and count for the attempt in hand."""

from typing import Any

from artifacts.kinds import Trust
from artifacts.models import Artifact
from artifacts.services import evidence_keys, latest
from goals.models import Checkpoint, Goal, Subgoal
from goals.states import CheckpointStatus, Predicate


def known_keys(goal: Goal, checkpoint: Checkpoint, subgoals: Any) -> frozenset[str]:
    """Return which of the wanted keys are known: what people said, and what was made since the attempt began to count.

    What is older counts once more for the first attempt at a step of a revised plan, where it belongs to something
    completed: that is real. Evidence of an attempt that failed its verification, or of an earlier iteration, does not
    count as done. Only a person's word confirms, and only what was asked in this iteration.
    """
    keys = {c["key"] for s in subgoals for c in s.done_when if c["kind"] == "has_evidence"}
    keys |= {s.evidence_key for s in subgoals if s.evidence_key}
    if not keys:
        return frozenset()
    confirmed = {s.evidence_key for s in subgoals if s.predicate == Predicate.CONFIRM and s.evidence_key}
    since = checkpoint.evidence_since
    if since is None and not confirmed:
        return evidence_keys(goal.artifact_context_id, keys)
    known = latest(goal.artifact_context_id, keys)
    floor = goal.iteration_started_at
    person = {name: artifact for name, artifact in known.items() if artifact.trust == Trust.PERSON}
    said = {n for n, a in person.items() if n not in confirmed or floor is None or a.created_at >= floor}
    made = {name: artifact for name, artifact in known.items() if name not in person.keys() | confirmed}
    fresh = {name for name, artifact in made.items() if since is None or artifact.created_at >= since}
    older = {name: artifact for name, artifact in made.items() if name not in fresh}
    return frozenset(said | fresh | (_of_completed(goal, older) if older and checkpoint.attempts <= 1 else set()))


def _of_completed(goal: Goal, artifacts: dict[str, Artifact]) -> set[str]:
    """Return the names of those that completed checkpoints of this iteration left, or that no work of a step made."""
    floor = goal.iteration_started_at
    makers = {n: a.metadata.get("subgoal") for n, a in artifacts.items() if floor is None or a.created_at >= floor}
    rows = Subgoal.objects.filter(pk__in=[maker for maker in makers.values() if maker])
    completed = rows.filter(goal=goal, checkpoint__status=CheckpointStatus.COMPLETED).values_list("pk", flat=True)
    real = {str(pk) for pk in completed}
    return {name for name, maker in makers.items() if maker is None or maker in real}
