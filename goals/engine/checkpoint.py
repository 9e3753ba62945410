"""What is decided about the checkpoint in hand: attempts, verification, completion. Pure (DESIGN section 5)."""

from datetime import datetime

from goals.decisions import Action, Failure, FailureKind, Move, Perform, Spawn
from goals.engine.moves import move_goal, move_node, pause
from goals.engine.parents import Decisions, abandon, can_revise, drop, is_final
from goals.engine.stack import already_done, decide_tree
from goals.states import Begun, CheckpointStatus, GoalStatus, Kind, PauseReason, SubgoalStatus, Verdict
from goals.tree import CheckpointView, Node, Snapshot

S = SubgoalStatus


def decide_checkpoint(snapshot: Snapshot, checkpoint: CheckpointView, now: datetime) -> Decisions:
    if checkpoint.root is None:
        return (Spawn(checkpoint.id, checkpoint.attempts + 1, checkpoint.failure),)
    yielded = decide_yield(snapshot)
    if yielded:
        return yielded
    root = snapshot.node(checkpoint.root)
    if _is_late(snapshot, checkpoint, root, now):
        late = Failure(FailureKind.TIME, f"the attempt ran out of time after {checkpoint.seconds:.0f} s")
        return abandon(snapshot, root, late)
    if root.status == S.SKIPPED:
        return (Spawn(checkpoint.id, checkpoint.attempts + 1, checkpoint.failure),)  # a person asked for it
    if root.status == S.ACHIEVED:
        return _decide_verified(snapshot, checkpoint)
    if root.status == S.ABANDONED:
        failure = root.failure or Failure(FailureKind.CHILD, "the work was abandoned")
        return _attempt_failed(snapshot, checkpoint, failure.message, is_final(failure))
    if root.status == S.BLOCKED and can_revise(snapshot):
        reason = root.failure.message if root.failure else "a tool is missing"
        dropped = move_node(root, S.SKIPPED, "subgoal.skipped", {"reason": "the plan is revised without it"})
        return (dropped, *_attempt_failed(snapshot, checkpoint, reason, final=True))
    return decide_tree(snapshot, checkpoint, now)


def decide_yield(snapshot: Snapshot) -> Decisions:
    """Take the checkpoint out of hand when something else goes before it: it is pending again, its attempt refunded."""
    checkpoint = snapshot.active
    if checkpoint is None or checkpoint.root is None:
        return ()
    root = snapshot.node(checkpoint.root)
    reason = _reason_to_yield(snapshot, checkpoint, root)
    if not reason:
        return ()
    facts = {"attempts": max(checkpoint.attempts - 1, 0), "yields": checkpoint.yields + 1, "verdict": ""}
    yielded = Move(
        Kind.CHECKPOINT,
        checkpoint.id,
        checkpoint.status,
        CheckpointStatus.PENDING,
        facts,
        "checkpoint.yielded",
        {"reason": reason},
    )
    return (*drop(snapshot, root, reason), yielded)


def _reason_to_yield(snapshot: Snapshot, checkpoint: CheckpointView, root: Node) -> str:
    """Say why the attempt in hand is given up, if it is; what has come to its end is verified first."""
    goal = snapshot.goal
    if root.is_terminal or checkpoint.begun == Begun.OUTSIDE:
        return ""
    if goal.revise_reason:
        return "another plan was asked for"
    if checkpoint.begun == Begun.INSIDE or not _is_untouched(snapshot, root):
        return ""
    if goal.status == GoalStatus.PAUSED:
        return "the goal was paused before it began"
    return "somebody wrote before it began" if goal.has_unheard_words else ""


def _is_untouched(snapshot: Snapshot, root: Node) -> bool:
    found = root.worked or root.asked or root.atomized or root.failure is not None or root.attempts > 1 or root.replans
    return root.status in {S.PENDING, S.ACTIVE} and not found and not snapshot.children(root.id)


def _is_late(snapshot: Snapshot, checkpoint: CheckpointView, root: Node, now: datetime) -> bool:
    """Whether an attempt's time is over; work that has its result already is not thrown away for it."""
    if checkpoint.seconds < snapshot.limits.seconds(checkpoint.attempts) or root.status != S.ACTIVE:
        return False
    return not root.worked and not already_done(snapshot, root, now)


def _decide_verified(snapshot: Snapshot, checkpoint: CheckpointView) -> Decisions:
    if checkpoint.verdict == "":
        return (Perform(Action.VERIFY_CHECKPOINT, checkpoint.id),)
    if checkpoint.verdict == Verdict.MET:
        goal = snapshot.goal
        facts = {
            "summary_due": checkpoint.says_something_new,
            "since_evaluation": goal.since_evaluation + 1,
            "attempt": 1,
        }
        done = Move(
            Kind.CHECKPOINT, checkpoint.id, checkpoint.status, CheckpointStatus.COMPLETED, {}, "checkpoint.completed"
        )
        return (done, move_goal(goal, None, "", {}, **facts))
    if checkpoint.verdict == Verdict.BROKEN:
        reason = f"the verifier of checkpoint {checkpoint.position + 1} is broken: {checkpoint.failure}"
        clear = Move(Kind.CHECKPOINT, checkpoint.id, checkpoint.status, None, {"verdict": ""})
        return (clear, pause(snapshot.goal, PauseReason.ERROR, reason))
    return _attempt_failed(snapshot, checkpoint, checkpoint.failure, final=False)


def _attempt_failed(snapshot: Snapshot, checkpoint: CheckpointView, reason: str, final: bool) -> Decisions:
    asked = snapshot.goal.revise_reason
    if not final and not asked and checkpoint.attempts < snapshot.limits.checkpoint_attempts:
        return (Spawn(checkpoint.id, checkpoint.attempts + 1, reason),)
    failed = Move(
        Kind.CHECKPOINT,
        checkpoint.id,
        checkpoint.status,
        CheckpointStatus.FAILED,
        {"failure": reason},
        "checkpoint.failed",
        {"reason": reason},
    )
    why = "; ".join(part for part in (asked, reason) if part)
    return (failed, move_goal(snapshot.goal, None, "", {}, revise_reason=why or "a checkpoint failed"))
