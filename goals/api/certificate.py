"""The certificate of a completed goal: what was proved, by which sealed verifier, from what, at what cost.

Made from the rows, which do not change once the goal has ended; `digest` is SHA-256 over all the rest.
"""

import hashlib
import json
from typing import Any

from django.db.models import Count, Sum

from artifacts.models import Artifact
from artifacts.services import latest
from goals import events
from goals.digests import digest
from goals.exceptions import StaleGoal
from goals.models import Goal, ModelCall, ToolCall, Verification
from goals.services import budget_of
from goals.states import CheckpointStatus, GoalStatus


def certificate_of(goal: Goal) -> dict[str, Any]:
    """Return the certificate; raises StaleGoal for a goal that is not completed."""
    if goal.status != GoalStatus.COMPLETED:
        raise StaleGoal(f"the goal is {goal.status}; only a completed goal has a certificate")
    body = {
        "goal": str(goal.pk),
        "objective": goal.objective,
        "owner": goal.owner.get_username(),
        "outcome": goal.outcome,
        "completed_at": goal.finished_at.isoformat() if goal.finished_at else None,
        "procedure": _procedure(goal),
        "verifier": goal.verifier,
        "verifier_digest": goal.verifier_digest,
        "proof": _proof(goal.proof),
        "checkpoints": _checkpoints(goal),
        "artifacts": [_artifact(row) for _, row in sorted(latest(goal.artifact_context_id).items())],
        "budget": budget_of(goal),
        "calls": {"model": _calls(ModelCall, goal), "tool": _calls(ToolCall, goal)},
        "history": _history(goal),
    }
    return {**body, "digest": digest("certificate", body)}


def _history(goal: Goal) -> dict[str, Any]:
    """The history up to the end; what came after it (a link that was made, a limit that was raised) changes nothing."""
    end = goal.events.filter(kind="goal.completed").latest("seq")
    return {"events": end.seq, "chain": end.digest, "whole": events.broken_at(goal.pk) is None}


def _procedure(goal: Goal) -> dict[str, Any] | None:
    version = goal.sop_version
    return None if version is None else {"slug": version.sop.slug, "version": version.number}


def _proof(row: Verification) -> dict[str, Any]:
    """The verification that decided; `details` holds the command, its environment and the isolation that ran."""
    return {
        "verification": str(row.pk),
        "verifier": row.verifier,
        "digest": row.digest,
        "met": row.met,
        "reason": row.reason,
        "evidence_sha256": hashlib.sha256(row.evidence.encode()).hexdigest(),
        "score": row.score,
        "details": row.details,
        "seconds": row.seconds,
        "cost_usd": float(row.cost_usd),
        "at": row.created_at.isoformat(),
    }


def _checkpoints(goal: Goal) -> list[dict[str, Any]]:
    rows = goal.checkpoints.filter(status=CheckpointStatus.COMPLETED).select_related("proof").order_by("position")
    return [
        {"position": row.position, "title": row.title, "verification": str(row.proof_id), "digest": row.proof.digest}
        for row in rows
    ]


def _artifact(row: Artifact) -> dict[str, Any]:
    """A blob's own digest, or that of the value's canonical JSON."""
    return {
        "id": str(row.pk),
        "name": row.name,
        "version": row.version,
        "type": row.type,
        "trust": row.trust,
        "sha256": row.blob_sha256 or _of_value(row.value),
    }


def _of_value(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _calls(model: type[ModelCall] | type[ToolCall], goal: Goal) -> dict[str, Any]:
    rows = model.objects.filter(goal=goal)
    total = rows.aggregate(cost=Sum("cost_usd"), seconds=Sum("seconds"))
    by_status = rows.order_by().values_list("status").annotate(n=Count("pk"))
    return {
        "by_status": dict(by_status),
        "cost_usd": float(total["cost"] or 0),
        "seconds": round(total["seconds"] or 0, 3),
    }
