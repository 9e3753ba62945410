"""What is decided about the goal stack: the tree of subgoals under a checkpoint. Pure (DESIGN section 5, 1 to 5)."""

from datetime import datetime

from goals.decisions import Action, Decision, Failure, FailureKind, Move, Perform
from goals.engine_moves import move_node, pause, wait_goal
from goals.retry import FINAL, decide_retry
from goals.states import Decomposition, PauseReason, Predicate, SubgoalStatus, WaitsFor
from goals.tree import CheckpointView, Node, Snapshot

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


def decide_tree(snapshot: Snapshot, checkpoint: CheckpointView, now: datetime) -> Decisions:
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
        return wait_goal(snapshot.goal, min(wakes, default=None), WaitsFor.QUESTION)
    if wakes:
        return wait_goal(snapshot.goal, min(wakes), WaitsFor.TIMER)
    blocked = next((node for node in order if node.status == S.BLOCKED), None)
    reason = blocked.failure.message if blocked and blocked.failure else "no subgoal can run and none is waited for"
    return pause(snapshot.goal, PauseReason.ERROR, reason)


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
        return (move_node(node, S.ACTIVE, "subgoal.started", {"attempt": node.attempts}),)
    if node.status == S.WAITING:
        due = node.wake_at is not None and node.wake_at <= now
        due = due or (node.asked and already_done(snapshot, node, now))
        return (move_node(node, S.ACTIVE, "", {}, wake_at=None),) if due else ()
    if node.status == S.BLOCKED:
        return ()
    if node.failure is not None:
        return _after_failure(snapshot, node, node.failure, now)
    if node.worked:
        return (_after_work(snapshot, node, now),)
    if already_done(snapshot, node, now):
        return _achieve(snapshot, node, done_before=True)
    if node.predicate == Predicate.COMPOSITE:
        return _decide_composite(snapshot, node)
    return (Perform(WORK[node.predicate], node.id),)


def already_done(snapshot: Snapshot, node: Node, now: datetime) -> bool:
    """Rule 1 of the stack: machine-checkable conditions that hold already mean that no work is done."""
    if not node.done_when or not any(condition.kind == "has_evidence" for condition in node.done_when):
        return False
    return all(c.is_machine and c.holds(snapshot.evidence, now) for c in node.done_when)


def _achieve(snapshot: Snapshot, node: Node, *, done_before: bool = False) -> tuple[Move, ...]:
    skipped = _skip(snapshot, node, "its parent was achieved")
    payload = {"done_before": True} if done_before else {}
    return (*skipped, move_node(node, S.ACHIEVED, "subgoal.achieved", payload))


def _skip(snapshot: Snapshot, node: Node, reason: str) -> tuple[Move, ...]:
    """Skip what is unfinished below a node."""
    return tuple(
        move_node(below, S.SKIPPED, "subgoal.skipped", {"reason": reason}, wake_at=None, asked=False)
        for below in snapshot.under(node.id)
        if not below.is_terminal
    )


def abandon(snapshot: Snapshot, node: Node, failure: Failure) -> Decisions:
    below = _skip(snapshot, node, "its parent was abandoned")
    payload = {"failure": failure.as_json()}
    return (*below, move_node(node, S.ABANDONED, "subgoal.abandoned", payload, failure=failure))


def _after_failure(snapshot: Snapshot, node: Node, failure: Failure, now: datetime) -> Decisions:
    if failure.kind == FailureKind.MISSING_TOOL:
        return (move_node(node, S.BLOCKED, "subgoal.blocked", {"reason": failure.message}),)
    again = decide_retry(
        failure=failure, attempt=node.attempts, retries=snapshot.limits.retries, key=str(node.id), now=now
    )
    if again is None:
        return abandon(snapshot, node, failure)
    payload = {"for": WaitsFor.TIMER.value, "wake_at": again.wake_at.isoformat(), "failure": failure.as_json()}
    facts = {"failure": None, "attempts": node.attempts + 1, "wake_at": again.wake_at, "worked": False, "checked": None}
    return (move_node(node, S.WAITING, "subgoal.waiting", payload, **facts),)


def _after_work(snapshot: Snapshot, node: Node, now: datetime) -> Decision:
    """The work has a result: its conditions decide whether that is enough."""
    for condition in node.done_when:
        if not condition.is_machine or condition.holds(snapshot.evidence, now):
            continue
        if condition.kind == "after" and condition.at is not None:
            payload = {"for": WaitsFor.TIMER.value, "wake_at": condition.at.isoformat()}
            return move_node(node, S.WAITING, "subgoal.waiting", payload, wake_at=condition.at)
        missing = Failure(FailureKind.CONDITION, f"the work ended without the evidence {condition.key!r}")
        return move_node(node, None, "", {}, failure=missing)
    if all(condition.is_machine for condition in node.done_when) or node.checked:
        return move_node(node, S.ACHIEVED, "subgoal.achieved", {})
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
        return abandon(snapshot, node, _failure_of_children(failed))
    if all(child.is_terminal for child in children):
        return abandon(snapshot, node, Failure(FailureKind.CHILD, "its children were skipped"))
    return ()


def _join(node: Node) -> Decisions:
    return (Perform(Action.AGGREGATE, node.id),)


def _failure_of_children(failed: list[Node]) -> Failure:
    known = [child.failure for child in failed if child.failure is not None]
    message = "; ".join(failure.message for failure in known) or "a child was abandoned"
    return Failure(FailureKind.CHILD, message, retryable=not any(is_final(failure) for failure in known))


def is_final(failure: Failure) -> bool:
    """Whether another attempt at the same checkpoint would meet the same refusal."""
    return failure.kind in FINAL - {FailureKind.CHILD} or (failure.kind == FailureKind.CHILD and not failure.retryable)
