"""The pure core: `decide(snapshot, now)` says what to do next. No I/O, no rows, no clock (DESIGN section 5).

`settle` applies the moves that need nothing from outside until only effects, a new attempt, or nothing is left.
"""

from datetime import datetime, timedelta
from typing import Any

from goals import progress
from goals.decisions import Action, Decision, Failure, FailureKind, Move, Perform, Spawn
from goals.retry import FINAL, decide_retry
from goals.states import (
    CheckpointStatus,
    Decomposition,
    GoalStatus,
    Kind,
    Mode,
    Outcome,
    PauseReason,
    Predicate,
    SubgoalStatus,
    Verdict,
    WaitsFor,
)
from goals.tree import CheckpointView, GoalView, Node, Snapshot, apply

S = SubgoalStatus
Decisions = tuple[Decision, ...]
PASSED_OVER = frozenset({S.ABANDONED, S.SKIPPED, S.BLOCKED})
WORK = {
    Predicate.USE_TOOL: Action.USE_TOOL,
    Predicate.GATHER_INFO: Action.ASK,
    Predicate.CONFIRM: Action.ASK,
    Predicate.PRESENT_INFO: Action.PRESENT,
    Predicate.EXECUTE: Action.ACT,
}


def decide(snapshot: Snapshot, now: datetime) -> Decisions:
    """Return what is to be done now: moves, or a spawn, or up to `parallel` effects; empty when nothing can run.

    Moves come alone: whoever carries them out decides again on the result (see `settle`).
    """
    goal = snapshot.goal
    if goal.is_terminal or goal.status == GoalStatus.PAUSED:
        return ()
    if goal.status == GoalStatus.WAITING:
        return _wake_goal(snapshot, now)
    if goal.failure is not None:
        return (_after_goal_failure(snapshot, goal.failure, now),)
    if goal.wake_at is not None and goal.wake_at > now:
        return () if goal.status == GoalStatus.PLANNING else (_wait_goal(goal, goal.wake_at, WaitsFor.TIMER),)
    if goal.status == GoalStatus.PLANNING:
        return (_decide_planning(goal),)
    if goal.mode == Mode.MONITOR:
        return (_decide_monitor(goal, now),)
    return _decide_active(snapshot, now)


def settle(snapshot: Snapshot, now: datetime, *, limit: int = 10_000) -> tuple[Snapshot, list[Move], Decisions]:
    """Apply moves until none is left; return the settled snapshot, the moves made, and the decisions that remain."""
    made: list[Move] = []
    while True:
        decisions = decide(snapshot, now)
        moves = [decision for decision in decisions if isinstance(decision, Move)]
        if not moves:
            return snapshot, made, decisions
        for move in moves:
            snapshot = apply(snapshot, move)
        made += moves
        if len(made) > limit:
            raise RuntimeError(f"the engine does not settle: goal {snapshot.goal.id}")


# -- the goal ---------------------------------------------------------------------------------------------------


def _move_goal(goal: GoalView, to: GoalStatus | None, event: str, payload: dict[str, Any], **facts: Any) -> Move:
    return Move(Kind.GOAL, goal.id, goal.status, to, facts, event, payload)


def _wake_goal(snapshot: Snapshot, now: datetime) -> Decisions:
    goal = snapshot.goal
    awake = _move_goal(goal, GoalStatus.ACTIVE, "", {}, wake_at=None, waits_for="")
    if goal.wake_at is not None and goal.wake_at <= now:
        return (awake,)
    if goal.waits_for != WaitsFor.QUESTION or _would_wait(apply(snapshot, awake), now):
        return ()
    return (awake,)


def _would_wait(snapshot: Snapshot, now: datetime) -> bool:
    """Whether an active goal would only go back to waiting: no answer, evidence or time has come."""
    match decide(snapshot, now):
        case (Move(kind=Kind.GOAL, to=GoalStatus.WAITING),):
            return True
    return False


def _wait_goal(goal: GoalView, wake_at: datetime | None, waits_for: WaitsFor) -> Move:
    payload = {"for": waits_for.value, "wake_at": wake_at.isoformat() if wake_at else None}
    return _move_goal(goal, GoalStatus.WAITING, "goal.waiting", payload, wake_at=wake_at, waits_for=waits_for)


def _pause(goal: GoalView, why: PauseReason, reason: str, **facts: Any) -> Move:
    payload = {"for": why.value, "reason": reason}
    return _move_goal(goal, GoalStatus.PAUSED, "goal.paused", payload, paused_for=why, reason=reason, **facts)


def _fail(goal: GoalView, outcome: Outcome, reason: str, **facts: Any) -> Move:
    payload = {"outcome": outcome.value, "reason": reason}
    return _move_goal(goal, GoalStatus.FAILED, "goal.failed", payload, outcome=outcome, reason=reason, **facts)


def _after_goal_failure(snapshot: Snapshot, failure: Failure, now: datetime) -> Move:
    goal = snapshot.goal
    if failure.kind == FailureKind.PLAN:
        return _fail(goal, Outcome.ERROR, failure.message, failure=None)
    again = decide_retry(
        failure=failure, attempt=goal.attempt, retries=snapshot.limits.retries, key=str(goal.id), now=now
    )
    if again is None:
        return _pause(goal, PauseReason.ERROR, failure.message, failure=None, attempt=1)
    return _move_goal(goal, None, "", {}, failure=None, attempt=goal.attempt + 1, wake_at=again.wake_at)


def _decide_planning(goal: GoalView) -> Decision:
    if goal.preflight_due:
        return Perform(Action.PREFLIGHT, goal.id)
    if goal.verdict == Verdict.MET or not goal.plan_due or goal.mode == Mode.MONITOR:
        return _move_goal(goal, GoalStatus.ACTIVE, "goal.started", {})
    return Perform(Action.PLAN, goal.id)


def _decide_monitor(goal: GoalView, now: datetime) -> Decision:
    if goal.verdict == Verdict.MET:
        return _complete(goal)
    if goal.deadline is not None and goal.deadline <= now:
        return _fail(goal, Outcome.EXHAUSTED, "the deadline passed before the verifier was met")
    if goal.verdict == "":
        return Perform(Action.VERIFY_GOAL, goal.id)
    wake_at = now + timedelta(seconds=goal.watch_seconds)
    if goal.deadline is not None:
        wake_at = min(wake_at, goal.deadline)
    payload = {"for": WaitsFor.WATCH.value, "wake_at": wake_at.isoformat()}
    facts = {"wake_at": wake_at, "waits_for": WaitsFor.WATCH, "verdict": ""}
    return _move_goal(goal, GoalStatus.WAITING, "goal.waiting", payload, **facts)


def _complete(goal: GoalView) -> Move:
    payload = {"outcome": Outcome.ACHIEVED.value, "reason": goal.verdict_reason}
    facts = {"outcome": Outcome.ACHIEVED, "reason": goal.verdict_reason}
    return _move_goal(goal, GoalStatus.COMPLETED, "goal.completed", payload, **facts)


def _decide_active(snapshot: Snapshot, now: datetime) -> Decisions:
    goal, checkpoint = snapshot.goal, snapshot.active
    if checkpoint is not None:
        return _decide_checkpoint(snapshot, checkpoint, now)
    if goal.plan_due:
        # An iteration's new plan, unless the verifier was met before any money was spent.
        return (_complete(goal),) if goal.verdict == Verdict.MET else (Perform(Action.PLAN, goal.id),)
    upcoming = snapshot.upcoming
    if goal.unachievable:
        return _decide_end(snapshot, now)
    if progress.is_stuck(goal.revise_streak):
        reason = f"{goal.revise_streak} evaluations in a row asked for another plan"
        return (_pause(goal, PauseReason.NO_PROGRESS, reason, revise_streak=0),)
    if goal.revise_reason:
        return (_decide_revision(snapshot),)
    if upcoming is None:
        return _decide_end(snapshot, now)
    if goal.summary_due:
        return (Perform(Action.SUMMARISE, goal.id),)
    if goal.since_evaluation >= snapshot.limits.evaluate_every:
        return (Perform(Action.EVALUATE, goal.id),)
    start = Move(Kind.CHECKPOINT, upcoming.id, upcoming.status, CheckpointStatus.ACTIVE)
    # What the verifier said before this work proves nothing about it.
    return (start, _move_goal(goal, None, "", {}, verdict="")) if goal.verdict else (start,)


def _decide_revision(snapshot: Snapshot) -> Decision:
    goal = snapshot.goal
    if goal.revision >= snapshot.limits.revisions:
        return _fail(goal, Outcome.EXHAUSTED, f"no revision of the plan is left: {goal.revise_reason}")
    return Perform(Action.REVISE, goal.id)


def _decide_end(snapshot: Snapshot, now: datetime) -> Decisions:
    """Decide about a goal with nothing left to work on: its verifier has the last word."""
    goal, limits = snapshot.goal, snapshot.limits
    if goal.verdict == "":
        return (Perform(Action.VERIFY_GOAL, goal.id),)
    if goal.verdict == Verdict.MET:
        return (_complete(goal),)
    if goal.verdict == Verdict.BROKEN:
        return (_pause(goal, PauseReason.ERROR, f"the verifier is broken: {goal.verdict_reason}", verdict=""),)
    if goal.unachievable:
        return (_fail(goal, Outcome.UNACHIEVABLE, goal.unachievable),)
    if goal.repeats >= limits.no_progress:
        reason = f"the verifier failed {goal.repeats} times in a row in the same way: {goal.verdict_reason}"
        return (_fail(goal, Outcome.UNACHIEVABLE, reason),)
    if goal.iteration >= limits.iterations:
        reason = f"not met after {goal.iteration} iterations: {goal.verdict_reason}"
        return (_fail(goal, Outcome.EXHAUSTED, reason),)
    payload = {"iteration": goal.iteration + 1, "reason": goal.verdict_reason}
    facts = {
        "iteration": goal.iteration + 1,
        "iteration_started_at": now,  # what was made before counts as done no more
        "plan_due": True,
        "verdict": "",
        "since_evaluation": 0,
        "attempt": 1,
    }
    return (_move_goal(goal, None, "goal.iteration", payload, **facts),)


# -- the checkpoint ---------------------------------------------------------------------------------------------


def _decide_checkpoint(snapshot: Snapshot, checkpoint: CheckpointView, now: datetime) -> Decisions:
    if checkpoint.root is None:
        return (Spawn(checkpoint.id, checkpoint.attempts + 1),)
    root = snapshot.node(checkpoint.root)
    if _is_late(snapshot, checkpoint, root, now):
        late = Failure(FailureKind.TIME, f"the attempt ran out of time after {checkpoint.seconds:.0f} s")
        return _abandon(snapshot, root, late)
    if root.status == S.ACHIEVED:
        return _decide_verified(snapshot, checkpoint)
    if root.status == S.ABANDONED:
        failure = root.failure or Failure(FailureKind.CHILD, "the work was abandoned")
        return _attempt_failed(snapshot, checkpoint, failure.message, _is_final(failure))
    return _decide_tree(snapshot, checkpoint, now)


def _is_late(snapshot: Snapshot, checkpoint: CheckpointView, root: Node, now: datetime) -> bool:
    """Whether an attempt's time is over; work that has its result already is not thrown away for it."""
    if checkpoint.seconds < snapshot.limits.seconds(checkpoint.attempts) or root.status != S.ACTIVE:
        return False
    return not root.worked and not _already_done(snapshot, root, now)


def _is_final(failure: Failure) -> bool:
    """Whether another attempt at the same checkpoint would meet the same refusal."""
    return failure.kind in FINAL - {FailureKind.CHILD} or (failure.kind == FailureKind.CHILD and not failure.retryable)


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
        return (done, _move_goal(goal, None, "", {}, **facts))
    if checkpoint.verdict == Verdict.BROKEN:
        reason = f"the verifier of checkpoint {checkpoint.position + 1} is broken: {checkpoint.failure}"
        clear = Move(Kind.CHECKPOINT, checkpoint.id, checkpoint.status, None, {"verdict": ""})
        return (clear, _pause(snapshot.goal, PauseReason.ERROR, reason))
    return _attempt_failed(snapshot, checkpoint, checkpoint.failure, final=False)


def _attempt_failed(snapshot: Snapshot, checkpoint: CheckpointView, reason: str, final: bool) -> Decisions:
    if not final and checkpoint.attempts < snapshot.limits.checkpoint_attempts:
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
    return (failed, _move_goal(snapshot.goal, None, "", {}, revise_reason=reason or "a checkpoint failed"))


# -- the tree ---------------------------------------------------------------------------------------------------


def _decide_tree(snapshot: Snapshot, checkpoint: CheckpointView, now: datetime) -> Decisions:
    order = [snapshot.node(checkpoint.root), *snapshot.under(checkpoint.root)]
    performs: list[Perform] = []
    for node in order:
        if node.is_terminal or not _is_open(snapshot, node):
            continue
        decisions = _decide_node(snapshot, node, now)
        if any(isinstance(decision, Move) for decision in decisions):
            return decisions
        performs += [decision for decision in decisions if isinstance(decision, Perform)]
    if performs:
        return tuple(performs[: snapshot.limits.parallel])
    return (_nothing_runs(snapshot, order, now),)


def _nothing_runs(snapshot: Snapshot, order: list[Node], now: datetime) -> Move:
    """Say whom the goal waits for; a tree in which nobody is waited for is an error that says so."""
    waiting = [node for node in order if node.status == S.WAITING and _is_open(snapshot, node)]
    wakes = [node.wake_at for node in waiting if node.wake_at is not None]
    if any(node.asked for node in waiting):
        return _wait_goal(snapshot.goal, min(wakes, default=None), WaitsFor.QUESTION)
    if wakes:
        return _wait_goal(snapshot.goal, min(wakes), WaitsFor.TIMER)
    blocked = next((node for node in order if node.status == S.BLOCKED), None)
    reason = blocked.failure.message if blocked and blocked.failure else "no subgoal can run and none is waited for"
    return _pause(snapshot.goal, PauseReason.ERROR, reason)


def _is_open(snapshot: Snapshot, node: Node) -> bool:
    """Whether a node's parent is at work and everything before it that must be done is done."""
    if node.parent is None:
        return True
    parent = snapshot.node(node.parent)
    if parent.status != S.ACTIVE:
        return False
    siblings = snapshot.children(parent.id)
    if parent.decomposition == Decomposition.OR:
        # The order is all that alternatives depend on; one whose tool is missing leaves the way to the next.
        return all(s.status in PASSED_OVER for s in siblings if s.position < node.position)
    return not any(s.id in node.depends_on and s.status != S.ACHIEVED for s in siblings)


def _decide_node(snapshot: Snapshot, node: Node, now: datetime) -> Decisions:
    if node.status == S.PENDING:
        return (_move_node(node, S.ACTIVE, "subgoal.started", {"attempt": node.attempts}),)
    if node.status == S.WAITING:
        due = node.wake_at is not None and node.wake_at <= now
        due = due or (node.asked and _already_done(snapshot, node, now))
        return (_move_node(node, S.ACTIVE, "", {}, wake_at=None),) if due else ()
    if node.status == S.BLOCKED:
        return ()
    if node.failure is not None:
        return _after_failure(snapshot, node, node.failure, now)
    if node.worked:
        return (_after_work(snapshot, node, now),)
    if _already_done(snapshot, node, now):
        return _achieve(snapshot, node, done_before=True)
    if node.predicate == Predicate.COMPOSITE:
        return _decide_composite(snapshot, node)
    return (Perform(WORK[node.predicate], node.id),)


def _move_node(node: Node, to: SubgoalStatus | None, event: str, payload: dict[str, Any], **facts: Any) -> Move:
    return Move(Kind.SUBGOAL, node.id, node.status, to, facts, event, payload)


def _already_done(snapshot: Snapshot, node: Node, now: datetime) -> bool:
    """Rule 1 of the stack: machine-checkable conditions that hold already mean that no work is done."""
    if not node.done_when or not any(condition.kind == "has_evidence" for condition in node.done_when):
        return False
    return all(c.is_machine and c.holds(snapshot.evidence, now) for c in node.done_when)


def _achieve(snapshot: Snapshot, node: Node, *, done_before: bool = False) -> tuple[Move, ...]:
    skipped = _skip(snapshot, node, "its parent was achieved")
    payload = {"done_before": True} if done_before else {}
    return (*skipped, _move_node(node, S.ACHIEVED, "subgoal.achieved", payload))


def _skip(snapshot: Snapshot, node: Node, reason: str) -> tuple[Move, ...]:
    """Skip what is unfinished below a node."""
    return tuple(
        _move_node(below, S.SKIPPED, "subgoal.skipped", {"reason": reason}, wake_at=None, asked=False)
        for below in snapshot.under(node.id)
        if not below.is_terminal
    )


def _abandon(snapshot: Snapshot, node: Node, failure: Failure) -> Decisions:
    below = _skip(snapshot, node, "its parent was abandoned")
    payload = {"failure": failure.as_json()}
    return (*below, _move_node(node, S.ABANDONED, "subgoal.abandoned", payload, failure=failure))


def _after_failure(snapshot: Snapshot, node: Node, failure: Failure, now: datetime) -> Decisions:
    if failure.kind == FailureKind.MISSING_TOOL:
        return (_move_node(node, S.BLOCKED, "subgoal.blocked", {"reason": failure.message}),)
    again = decide_retry(
        failure=failure, attempt=node.attempts, retries=snapshot.limits.retries, key=str(node.id), now=now
    )
    if again is None:
        return _abandon(snapshot, node, failure)
    payload = {"for": WaitsFor.TIMER.value, "wake_at": again.wake_at.isoformat(), "failure": failure.as_json()}
    facts = {"failure": None, "attempts": node.attempts + 1, "wake_at": again.wake_at, "worked": False, "checked": None}
    return (_move_node(node, S.WAITING, "subgoal.waiting", payload, **facts),)


def _after_work(snapshot: Snapshot, node: Node, now: datetime) -> Decision:
    """The work has a result: its conditions decide whether that is enough."""
    for condition in node.done_when:
        if not condition.is_machine or condition.holds(snapshot.evidence, now):
            continue
        if condition.kind == "after" and condition.at is not None:
            payload = {"for": WaitsFor.TIMER.value, "wake_at": condition.at.isoformat()}
            return _move_node(node, S.WAITING, "subgoal.waiting", payload, wake_at=condition.at)
        missing = Failure(FailureKind.CONDITION, f"the work ended without the evidence {condition.key!r}")
        return _move_node(node, None, "", {}, failure=missing)
    if all(condition.is_machine for condition in node.done_when) or node.checked:
        return _move_node(node, S.ACHIEVED, "subgoal.achieved", {})
    return Perform(Action.CHECK, node.id)


def _decide_composite(snapshot: Snapshot, node: Node) -> Decisions:
    children = snapshot.children(node.id)
    if children:
        return _decide_parent(snapshot, node, children)
    if not node.atomized and node.depth < snapshot.limits.max_depth:
        return (Perform(Action.ATOMIZE, node.id),)
    if node.atomized == "plan" and node.depth < snapshot.limits.max_depth:
        return (Perform(Action.DECOMPOSE, node.id),)
    return (Perform(Action.ACT, node.id),)


def _decide_parent(snapshot: Snapshot, node: Node, children: list[Node]) -> Decisions:
    failed = [child for child in children if child.status == S.ABANDONED]
    if node.decomposition == Decomposition.OR:
        if any(child.status == S.ACHIEVED for child in children):
            return _skip(snapshot, node, "a sibling succeeded") or _join(node)
        over = len(failed) == len(children)
    else:
        if all(child.status == S.ACHIEVED for child in children):
            return _join(node)
        over = bool(failed)
    if over:
        return _abandon(snapshot, node, _failure_of_children(failed))
    if all(child.is_terminal for child in children):
        return _abandon(snapshot, node, Failure(FailureKind.CHILD, "its children were skipped"))
    return ()


def _join(node: Node) -> Decisions:
    return (Perform(Action.AGGREGATE, node.id),)


def _failure_of_children(failed: list[Node]) -> Failure:
    known = [child.failure for child in failed if child.failure is not None]
    message = "; ".join(failure.message for failure in known) or "a child was abandoned"
    return Failure(FailureKind.CHILD, message, retryable=not any(_is_final(failure) for failure in known))
