"""From decisions to rows: all that needs nothing from outside."""

from typing import Any

from goals import engine, rows
from goals.decisions import Action, Decision, Perform, Spawn
from goals.loop.evidence import known_keys
from goals.loop.picture import AHEAD, Picture
from goals.loop.snapshots import snapshot
from goals.models import Checkpoint, Subgoal
from goals.proof import prove_by_conditions, speaks_for_itself
from goals.states import CheckpointStatus
from goals.transitions import Writer


def settle(writer: Writer, picture: Picture) -> tuple[Decision, ...]:
    """Make all moves that need nothing from outside, within the writer's transaction; return what is left to perform.

    The picture's rows change along with the table's.
    """
    writer.know(*picture.checkpoints.values(), *picture.subgoals.values())
    while True:
        _, moves, decisions = engine.settle(snapshot(picture), writer.now)
        for move in moves:
            writer.move(move)
        here = [decision for decision in decisions if _do_here(writer, picture, decision)]
        if not here:
            picture.seq = writer.goal.seq
            return decisions


def _do_here(writer: Writer, picture: Picture, decision: Decision) -> bool:
    """Carry out a decision that reaches nothing outside; False when it does."""
    if isinstance(decision, Spawn):
        _spawn(writer, picture, decision)
        return True
    if isinstance(decision, Perform) and decision.action is Action.VERIFY_CHECKPOINT:
        checkpoint = picture.checkpoints[decision.target]
        if speaks_for_itself(checkpoint):
            root = next(s for s in picture.subgoals.values() if s.parent_id is None)
            prove_by_conditions(writer, checkpoint, root)
            return True
    return False


def _spawn(writer: Writer, picture: Picture, spawn: Spawn) -> None:
    """Begin an attempt: a fresh root subgoal made of the checkpoint's plan."""
    checkpoint = picture.checkpoints[spawn.checkpoint]
    facts: dict[str, Any] = {"attempts": spawn.attempt, "verdict": "", "seconds": 0.0, "failure": spawn.reason}
    if spawn.attempt > 1:
        # The clock, not the transaction's time: what this transaction has kept of the last attempt counts no more.
        facts["evidence_since"] = rows.execute("SELECT clock_timestamp()", []).fetchone()[0]
    writer.facts(checkpoint, **facts)
    root = Subgoal(
        goal=writer.goal,
        checkpoint=checkpoint,
        round=checkpoint.round,
        gloss=checkpoint.description or checkpoint.title,
        predicate=checkpoint.predicate,
        args=checkpoint.args,
        operation=checkpoint.operation,
        done_when=checkpoint.done_when,
        tools=checkpoint.tools,
        evidence_key=checkpoint.evidence_key,
        provenance=checkpoint.provenance,
        previous_failure=spawn.reason,
    )
    writer.insert(root)
    following = [c for c in picture.checkpoints.values() if c.position > checkpoint.position]
    if not following:
        pending = Checkpoint.objects.filter(goal=writer.goal, status=CheckpointStatus.PENDING)
        following = list(pending.filter(position__gt=checkpoint.position).order_by("position")[:AHEAD])
        writer.know(*following)
    picture.checkpoints = {row.pk: row for row in [checkpoint, *following]}
    picture.subgoals = {root.pk: root}
    picture.depends_on = {}
    picture.evidence = known_keys(writer.goal, checkpoint, [root])
    payload = {"checkpoint": str(checkpoint.pk), "title": checkpoint.title, "position": checkpoint.position}
    writer.event("checkpoint.started", {**payload, "attempt": spawn.attempt, "reason": spawn.reason})
