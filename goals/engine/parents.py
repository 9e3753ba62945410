"""What children do to their parent: it is joined, planned anew with the failure as evidence, or abandoned. Pure.

A failure is mended as low as it can be: the parent of what failed plans anew while it has `replans` left; then it is
abandoned, which gives its own parent the same choice, up to the checkpoint and the plan of the goal.
"""

from collections.abc import Iterable, Iterator

from goals.decisions import Action, Decision, Failure, FailureKind, Move, Perform
from goals.engine.moves import move_node
from goals.retry import FINAL
from goals.states import Decomposition, SubgoalStatus
from goals.tree import Node, Snapshot

S = SubgoalStatus
Decisions = tuple[Decision, ...]
FAILED = frozenset({S.ABANDONED, S.BLOCKED})
LONGEST_TOLD = 4_000


def decide_composite(snapshot: Snapshot, node: Node) -> Decisions:
    children = snapshot.children(node.id)
    if children:
        return _decide_parent(snapshot, node, children)
    if not node.atomized and node.depth < snapshot.limits.max_depth:
        return (Perform(Action.ATOMIZE, node.id),)
    if node.atomized == "plan" and node.depth < snapshot.limits.max_depth:
        return (Perform(Action.DECOMPOSE, node.id),)
    return (Perform(Action.ACT, node.id),)


def _decide_parent(snapshot: Snapshot, node: Node, children: list[Node]) -> Decisions:
    if _is_won(node, children):
        return skip(snapshot, node, "a sibling succeeded") or (Perform(Action.AGGREGATE, node.id),)
    if is_lost(node, children):
        return _after_loss(snapshot, node, [child for child in children if child.status in FAILED])
    if all(child.is_terminal for child in children):
        return abandon(snapshot, node, Failure(FailureKind.CHILD, "its children were skipped"))
    return ()


def _is_won(node: Node, children: list[Node]) -> bool:
    achieved = [child.status == S.ACHIEVED for child in children]
    return any(achieved) if node.decomposition == Decomposition.OR else all(achieved)


def is_lost(node: Node, children: list[Node]) -> bool:
    """Whether a plan can reach its parent's end no more: one child failed of AND, every one of OR."""
    if node.decomposition == Decomposition.OR:
        over = all(child.status in FAILED or child.status == S.SKIPPED for child in children)
        return over and any(child.status in FAILED for child in children)
    return any(child.status in FAILED for child in children)


def _after_loss(snapshot: Snapshot, node: Node, failed: list[Node]) -> Decisions:
    failure = _failure_of(failed)
    if _may_replan(snapshot, node) and not _is_beyond_planning(node, failed):
        # What is at work beside it is real and goes on to its end; only then is it known what is left to plan.
        is_busy = any(_is_at_work(snapshot, below) for below in snapshot.under(node.id))
        return () if is_busy else plan_anew(snapshot, node, failure)
    return () if _needs_a_tool(snapshot, node, failed) else abandon(snapshot, node, failure)


def is_closed(snapshot: Snapshot, node: Node) -> bool:
    """Whether nothing new is begun below a node, because its plan has failed."""
    children = snapshot.children(node.id)
    failed = [child for child in children if child.status in FAILED]
    return is_lost(node, children) and not _needs_a_tool(snapshot, node, failed)


def _needs_a_tool(snapshot: Snapshot, node: Node, failed: list[Node]) -> bool:
    """Whether only a missing tool stands in the way and nobody can plan without it: a person may bring it."""
    blocked = [child.status == S.BLOCKED for child in failed]
    stands = any(blocked) if node.decomposition == Decomposition.OR else all(blocked)
    return stands and not can_revise(snapshot) and not any(_may_replan(snapshot, n) for n in _up(snapshot, node))


def _may_replan(snapshot: Snapshot, node: Node) -> bool:
    return node.replans < snapshot.limits.replans


def _is_beyond_planning(node: Node, failed: list[Node]) -> bool:
    """Whether what failed was declared unachievable, so that this node needs what nobody can give."""
    declared = [child.failure is not None and child.failure.kind == FailureKind.UNACHIEVABLE for child in failed]
    return all(declared) if node.decomposition == Decomposition.OR else any(declared)


def can_revise(snapshot: Snapshot) -> bool:
    return snapshot.goal.own_revisions < snapshot.limits.revisions


def _up(snapshot: Snapshot, node: Node) -> Iterator[Node]:
    """Yield a node and those above it."""
    yield node
    while node.parent is not None:
        node = snapshot.node(node.parent)
        yield node


def _is_at_work(snapshot: Snapshot, node: Node) -> bool:
    if node.status != S.ACTIVE:
        return False
    children = snapshot.children(node.id)
    return not children or node.worked or _is_won(node, children)


def plan_anew(snapshot: Snapshot, node: Node, failure: Failure) -> Decisions:
    """Drop what is left of a node's plan; what was achieved in it stays."""
    facts = {"failure": None, "previous_failure": failure.message[:LONGEST_TOLD], "worked": False, "checked": None}
    again = move_node(node, None, "", {}, replans=node.replans + 1, **facts)
    return (*skip(snapshot, node, "its parent is planned anew"), again)


def after_spent_retries(snapshot: Snapshot, node: Node, failure: Failure) -> Decisions:
    """Plan anew where a plan was carried out and its outcome does not meet the node's conditions; else abandon."""
    if failure.kind == FailureKind.CONDITION and snapshot.children(node.id) and _may_replan(snapshot, node):
        return plan_anew(snapshot, node, failure)
    return abandon(snapshot, node, failure)


def achieve(snapshot: Snapshot, node: Node, *, done_before: bool = False) -> tuple[Move, ...]:
    skipped = skip(snapshot, node, "its parent was achieved")
    payload = {"done_before": True} if done_before else {}
    return (*skipped, move_node(node, S.ACHIEVED, "subgoal.achieved", payload))


def skip(snapshot: Snapshot, node: Node, reason: str) -> tuple[Move, ...]:
    """Skip what is unfinished below a node."""
    return tuple(
        move_node(below, S.SKIPPED, "subgoal.skipped", {"reason": reason}, wake_at=None, asked=False)
        for below in snapshot.under(node.id)
        if not below.is_terminal
    )


def drop(snapshot: Snapshot, node: Node, reason: str) -> tuple[Move, ...]:
    """Skip a node with what is unfinished below it: nobody wants it any more."""
    payload = {"reason": reason}
    return (
        *skip(snapshot, node, reason),
        move_node(node, S.SKIPPED, "subgoal.skipped", payload, wake_at=None, asked=False),
    )


def abandon(snapshot: Snapshot, node: Node, failure: Failure) -> Decisions:
    below = skip(snapshot, node, "its parent was abandoned")
    payload = {"failure": failure.as_json()}
    return (*below, move_node(node, S.ABANDONED, "subgoal.abandoned", payload, failure=failure))


def told(failed: Iterable[Node]) -> str:
    """Return the failures of nodes as one text."""
    return "; ".join(node.failure.message for node in failed if node.failure is not None)[:LONGEST_TOLD]


def _failure_of(failed: list[Node]) -> Failure:
    known = [child.failure for child in failed if child.failure is not None]
    message = told(failed) or "a child was abandoned"
    return Failure(FailureKind.CHILD, message, retryable=not any(is_final(failure) for failure in known))


def is_final(failure: Failure) -> bool:
    """Whether another attempt at the same checkpoint would meet the same refusal."""
    return failure.kind in FINAL - {FailureKind.CHILD} or (failure.kind == FailureKind.CHILD and not failure.retryable)
