"""What is decided about the goal stack: the tree of subgoals under a checkpoint. Pure (DESIGN section 5, 1 to 5).

What children do to their parent stands in `parents`.
"""

from datetime import datetime

from goals.decisions import Action, Decision, Failure, FailureKind, Move, Perform
from goals.engine.moves import move_node, pause, wait_goal
from goals.engine.parents import Decisions, achieve, after_spent_retries, decide_composite, is_closed, told
from goals.retry import decide_retry
from goals.states import Decomposition, PauseReason, Predicate, SubgoalStatus, WaitsFor
from goals.tree import CheckpointView, Node, Snapshot

S = SubgoalStatus
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
    if node.status == S.PENDING and is_closed(snapshot, parent):
        return False
    if parent.decomposition == Decomposition.OR:
        # The order is all that alternatives depend on; one whose tool is missing leaves the way to the next.
        return all(s.status in PASSED_OVER for s in siblings if s.position < node.position)
    return not any(s.id in node.depends_on and s.status != S.ACHIEVED for s in siblings)


def _decide_node(snapshot: Snapshot, node: Node, now: datetime) -> Decisions:
    if node.status == S.PENDING:
        return (_start(snapshot, node),)
    if node.status == S.WAITING:
        return _decide_waiting(snapshot, node, now)
    if node.status == S.BLOCKED:
        return ()
    if node.failure is not None:
        return _after_failure(snapshot, node, node.failure, now)
    if node.worked:
        return (_after_work(snapshot, node, now),)
    if already_done(snapshot, node, now):
        return achieve(snapshot, node, done_before=True)
    if node.predicate == Predicate.COMPOSITE:
        return decide_composite(snapshot, node)
    return (Perform(WORK[node.predicate], node.id),)


def _start(snapshot: Snapshot, node: Node) -> Move:
    """Begin a node; an alternative is told why the ones before it failed."""
    failed = told(_alternatives_before(snapshot, node))
    if not failed:
        return move_node(node, S.ACTIVE, "subgoal.started", {"attempt": node.attempts})
    payload = {"attempt": node.attempts, "reason": f"the alternative before it failed: {failed}"}
    return move_node(node, S.ACTIVE, "subgoal.started", payload, previous_failure=failed)


def _alternatives_before(snapshot: Snapshot, node: Node) -> list[Node]:
    if node.parent is None or snapshot.node(node.parent).decomposition != Decomposition.OR:
        return []
    return [sibling for sibling in snapshot.children(node.parent) if sibling.position < node.position]


def _decide_waiting(snapshot: Snapshot, node: Node, now: datetime) -> Decisions:
    """A time that has come ends a wait; a question it brings to mind once, and what must be answered stops the goal."""
    due = node.wake_at is not None and node.wake_at <= now
    if already_done(snapshot, node, now) if node.asked else due:
        return (move_node(node, S.ACTIVE, "", {}, wake_at=None),)
    if not due:
        return ()
    if not node.reminded:
        return (Perform(Action.REMIND, node.id),)
    over = move_node(node, None, "", {}, wake_at=None)
    if not node.must_answer:
        return (over,)
    return (over, pause(snapshot.goal, PauseReason.APPROVAL, f"nobody answered: {node.must_answer}"))


def already_done(snapshot: Snapshot, node: Node, now: datetime) -> bool:
    """Rule 1 of the stack: machine-checkable conditions that hold already mean that no work is done."""
    if not node.done_when or not any(condition.kind == "has_evidence" for condition in node.done_when):
        return False
    return all(c.is_machine and c.holds(snapshot.evidence, now) for c in node.done_when)


def _after_failure(snapshot: Snapshot, node: Node, failure: Failure, now: datetime) -> Decisions:
    if failure.kind == FailureKind.MISSING_TOOL:
        return (move_node(node, S.BLOCKED, "subgoal.blocked", {"reason": failure.message}),)
    again = decide_retry(
        failure=failure, attempt=node.attempts, retries=snapshot.limits.retries, key=str(node.id), now=now
    )
    if again is None:
        return after_spent_retries(snapshot, node, failure)
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
