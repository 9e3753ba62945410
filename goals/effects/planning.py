"""What planning by a procedure and by the model have in common: sealing a verifier, writing the plan, giving up."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Max

from goals import plans
from goals.decisions import Failure, FailureKind, Move
from goals.driver import Drive
from goals.models import Checkpoint, Goal
from goals.states import CheckpointStatus, Kind
from goals.transitions import Writer
from goals.verifiers.spec import digest

LONGEST_REASON = 20_000


def rows_of(goal: Goal, drafts: Sequence[Any], provenance: dict[str, Any], since: datetime | None) -> list[Checkpoint]:
    """Return the unsaved checkpoints of a plan, after those that the goal has."""
    last = Checkpoint.objects.filter(goal=goal).aggregate(last=Max("position"))["last"]
    first = 0 if last is None else last + 1
    return [
        plans.checkpoint_of(goal, draft, position, position + 1, provenance, since)
        for position, draft in enumerate(drafts, first)
    ]


def seal(goal: Goal, verifier: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the facts that seal a verifier for a goal whose owner set none: the procedure's, else a judge."""
    if goal.verifier is not None:
        return {}
    chosen = verifier or {"type": "llm"}
    return {"verifier": chosen, "verifier_digest": digest(chosen)}


def write_plan(writer: Writer, rows: list[Checkpoint], facts: dict[str, Any], about: dict[str, Any]) -> None:
    _insert(writer, rows)
    writer.facts(writer.goal, plan_due=False, attempt=1, **facts)
    writer.event("goal.planned", {**about, "checkpoints": listed(rows), "verifier_digest": writer.goal.verifier_digest})


def write_revision(
    writer: Writer, drafts: Sequence[Any], provenance: dict[str, Any], reasoning: str
) -> list[Checkpoint]:
    """Replace what is pending; what was made so far counts for the new steps only where it is of completed ones."""
    goal = writer.goal
    dropped = list(Checkpoint.objects.filter(goal=goal, status=CheckpointStatus.PENDING))
    writer.know(*dropped)
    for row in dropped:
        writer.move(Move(Kind.CHECKPOINT, row.pk, row.status, CheckpointStatus.SKIPPED))
    writer.facts(goal, revision=goal.revision + 1, plan_notes=reasoning)
    rows = rows_of(goal, drafts, provenance, writer.now)
    _insert(writer, rows)
    about = {"revision": goal.revision, "reason": reasoning[:2000], "dropped": listed(dropped)}
    writer.event("goal.revised", {**about, "checkpoints": listed(rows)})
    return rows


def hear(writer: Writer, reason: str, words: int) -> None:
    """Note that a plan was made for this reason, knowing the first `words` words of steering; later ones stand."""
    asked_again = writer.goal.revise_reason if writer.goal.revise_reason != reason else ""
    writer.facts(writer.goal, revise_reason=asked_again, words_heard=words, attempt=1)


def _insert(writer: Writer, rows: list[Checkpoint]) -> None:
    Checkpoint.objects.bulk_create(rows)
    writer.know(*rows)


def show(drive: Drive, rows: Sequence[Checkpoint]) -> None:
    """Show a plan that this transaction has written."""
    drive.picture.checkpoints = {row.pk: row for row in rows[:2]}


def listed(rows: Sequence[Checkpoint]) -> list[dict[str, Any]]:
    return [{"checkpoint": str(row.pk), "position": row.position, "title": row.title} for row in rows]


def give_up(drive: Drive, reason: str) -> None:
    """Fail the goal: there is no plan that it could follow."""
    drive.fail(drive.goal_id, Failure(FailureKind.PLAN, reason[:LONGEST_REASON], retryable=False))
