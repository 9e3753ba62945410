"""What must hold of every decision, every move and every picture: the rules of DESIGN section 12 that are pure."""

from dataclasses import replace
from datetime import datetime

from goals.decisions import Action, Decision, FailureKind, Move, Perform, Spawn
from goals.engine import decide, settle
from goals.states import (
    Begun,
    CheckpointStatus,
    Decomposition,
    GoalStatus,
    Kind,
    SubgoalStatus,
    Verdict,
    WaitsFor,
    is_legal,
)
from goals.states import is_terminal as ended
from goals.tree import CheckpointView, GoalView, Node, Snapshot

S, C, G = SubgoalStatus, CheckpointStatus, GoalStatus
GIVEN_UP = {S.ABANDONED, S.SKIPPED, S.BLOCKED}


def checked_decide(snapshot: Snapshot, now: datetime) -> tuple[Decision, ...]:
    """Decide, and hold the decisions to their rules."""
    decisions = decide(snapshot, now)
    assert decisions == decide(snapshot, now), "the same picture gives the same decisions"
    assert decisions == decide(_window(snapshot), now), "what is over has no say (rule 9)"
    assert len({type(decision) for decision in decisions}) <= 1, "moves come alone"
    performs = [decision for decision in decisions if isinstance(decision, Perform)]
    assert len(performs) <= snapshot.limits.parallel
    assert len({perform.target for perform in performs}) == len(performs), "one effect at a time on one row"
    for perform in performs:
        _check_perform(snapshot, perform)
    for decision in decisions:
        if isinstance(decision, Spawn):
            _check_spawn(snapshot, decision)
    return decisions


def _window(snapshot: Snapshot) -> Snapshot:
    live = [c for c in snapshot.checkpoints if not ended(Kind.CHECKPOINT, c.status)]
    shown = [c for c in live if c.status == C.ACTIVE] + sorted(
        (c for c in live if c.status == C.PENDING), key=lambda c: c.position
    )
    return replace(snapshot, checkpoints=tuple(shown[:2]))


def row_of(snapshot: Snapshot, kind: Kind, row_id: object) -> GoalView | CheckpointView | Node:
    rows = {
        Kind.GOAL: (snapshot.goal,),
        Kind.CHECKPOINT: snapshot.checkpoints,
        Kind.SUBGOAL: snapshot.nodes,
    }
    return next(row for row in rows[kind] if row.id == row_id)


def _check_perform(snapshot: Snapshot, perform: Perform) -> None:
    assert snapshot.goal.status in {G.PLANNING, G.ACTIVE}
    assert snapshot.goal.failure is None
    assert snapshot.goal.plan_asked == (perform.action == Action.REMIND_OF_PLAN), "a plan that waits stops all else"
    if perform.target == snapshot.goal.id:
        assert not (snapshot.goal.plan_asked and snapshot.goal.plan_reminded), "it reminds once"
        return
    if perform.action == Action.VERIFY_CHECKPOINT:
        assert snapshot.active is not None
        assert (perform.target, snapshot.active.verdict) == (snapshot.active.id, "")
        return
    _check_work(snapshot, perform.action, snapshot.node(perform.target))


def _check_work(snapshot: Snapshot, action: Action, node: Node) -> None:
    if action == Action.REMIND:
        assert (node.status, node.asked, node.reminded) == (S.WAITING, True, False), "it reminds once"
        return
    assert node.status == S.ACTIVE
    assert node.failure is None
    assert node.worked == (action == Action.CHECK), "only its conditions are looked at once work has a result"
    children = snapshot.children(node.id)
    if action in {Action.ATOMIZE, Action.DECOMPOSE, Action.ACT}:
        assert not children, "what was planned is not planned again"
    if action in {Action.ATOMIZE, Action.DECOMPOSE}:
        assert node.depth < snapshot.limits.max_depth
    if action == Action.AGGREGATE:
        assert _children_allow(node, children)
        assert all(child.is_terminal for child in children), "an OR winner leaves nobody at work"
    while node.parent is not None:
        parent = snapshot.node(node.parent)
        assert parent.status == S.ACTIVE
        _check_turn(snapshot, parent, node)
        node = parent


def _check_turn(snapshot: Snapshot, parent: Node, node: Node) -> None:
    siblings = snapshot.children(parent.id)
    if parent.decomposition == Decomposition.OR:
        assert all(s.status in GIVEN_UP for s in siblings if s.position < node.position)
        assert not any(s.status == S.ACHIEVED for s in siblings)
    else:
        assert all(s.status == S.ACHIEVED for s in siblings if s.id in node.depends_on)
        lost = any(s.status == S.ABANDONED for s in siblings)
        assert not lost or parent.replans < snapshot.limits.replans, "work beside a failure ends before a new plan"


def _check_spawn(snapshot: Snapshot, spawn: Spawn) -> None:
    checkpoint = row_of(snapshot, Kind.CHECKPOINT, spawn.checkpoint)
    assert checkpoint.status == C.ACTIVE
    assert spawn.attempt == checkpoint.attempts + 1 <= snapshot.limits.checkpoint_attempts


def check_move(snapshot: Snapshot, move: Move) -> None:
    """Hold one move to the table: from where its row is, to where it may go, and never out of an end."""
    row = row_of(snapshot, move.kind, move.id)
    assert row.status == move.before, f"{move} moves a row that is {row.status}"
    assert not ended(move.kind, row.status), f"{move} moves a row that has ended"
    if move.to is None:
        return
    assert is_legal(move.kind, move.before, move.to), f"{move} is not in the table"
    if ended(move.kind, move.to):
        assert move.event == f"{move.kind}.{move.to}", "an end is an event"
    if move.to == S.ABANDONED and move.facts["failure"].kind == FailureKind.CHILD:
        _check_given_up(snapshot, row)
    if move.kind is Kind.CHECKPOINT and move.to == C.COMPLETED:
        assert row.verdict == Verdict.MET
        assert snapshot.node(row.root).status == S.ACHIEVED
    if move.kind is Kind.CHECKPOINT and move.to == C.PENDING:
        assert row.begun != Begun.OUTSIDE, "what was done outside is for ever"
        assert all(node.is_terminal for node in snapshot.nodes), "what is out of hand has nothing at work"
        assert snapshot.node(row.root).status == S.SKIPPED, "work that has come to its end is verified"
        assert move.facts["attempts"] == row.attempts - 1
    if move.kind is Kind.CHECKPOINT and move.to == C.ACTIVE:
        assert not snapshot.goal.plan_asked
        assert not snapshot.goal.has_unheard_words
        assert not snapshot.goal.revise_reason
    if move.kind is Kind.GOAL and move.to == G.COMPLETED:
        assert row.verdict == Verdict.MET
        assert snapshot.active is None, "no work was done after the verdict"
        assert snapshot.goal.mode == "monitor" or snapshot.goal.plan_due or not snapshot.goal.has_unheard_words


def _check_given_up(snapshot: Snapshot, node: Node) -> None:
    """A parent is abandoned for its children only when no alternative and no plan is left that could help."""
    children = snapshot.children(node.id)
    if not children:
        return  # the planner itself found no way
    fates = [child.status == S.ABANDONED or _lacks_its_tool(child) for child in children]
    assert all(fates) if node.decomposition == Decomposition.OR else any(fates), "an OR has a next alternative"
    kinds = {child.failure.kind for child in children if child.status == S.ABANDONED and child.failure}
    assert node.replans == snapshot.limits.replans or FailureKind.UNACHIEVABLE in kinds, "a plan was left"


def _lacks_its_tool(node: Node) -> bool:
    return node.failure is not None and node.failure.kind == FailureKind.MISSING_TOOL


def check_picture(snapshot: Snapshot, now: datetime) -> None:
    """Hold a picture between two decisions to the rules of the tree, the limits and the waits."""
    _check_bounds(snapshot)
    _check_goal_wait(snapshot)
    for node in snapshot.nodes:
        _check_node(snapshot, node, now)


def _check_bounds(snapshot: Snapshot) -> None:
    limits, goal = snapshot.limits, snapshot.goal
    assert goal.iteration <= limits.iterations
    assert goal.own_revisions <= limits.revisions
    assert goal.attempt <= limits.retries + 1
    assert all(c.attempts <= limits.checkpoint_attempts for c in snapshot.checkpoints)
    assert all(n.attempts <= limits.retries + 1 and n.depth <= limits.max_depth for n in snapshot.nodes)
    assert all(n.replans <= limits.replans for n in snapshot.nodes)


def _check_goal_wait(snapshot: Snapshot) -> None:
    goal = snapshot.goal
    if goal.status == G.WAITING:
        if goal.waits_for == WaitsFor.QUESTION:
            return
        assert goal.waits_for in {WaitsFor.TIMER, WaitsFor.WATCH}
        assert goal.wake_at is not None
    if goal.status == G.PAUSED:
        assert goal.paused_for
        assert goal.reason
    if goal.status == G.FAILED:
        assert goal.outcome
        assert goal.reason


def _check_node(snapshot: Snapshot, node: Node, now: datetime) -> None:
    if node.status == S.WAITING:
        assert node.asked or node.wake_at is not None, "every wait has an owner (rule 10)"
    if node.status == S.BLOCKED:
        assert node.failure is not None
    if node.is_terminal:
        assert all(child.is_terminal for child in snapshot.nodes if child.parent == node.id), "of every plan"
    if node.parent is not None and node.plan <= snapshot.node(node.parent).replans:
        assert node.is_terminal, "what an earlier plan left has ended"
    if node.status == S.ACHIEVED:
        _check_achieved(snapshot, node, now)


def _check_achieved(snapshot: Snapshot, node: Node, now: datetime) -> None:
    machine = [c for c in node.done_when if c.is_machine]
    assert all(c.holds(snapshot.evidence, now) for c in machine)
    judged = len(machine) < len(node.done_when)
    assert not judged or node.checked, "a judged condition was judged"
    done_before = any(c.kind == "has_evidence" for c in node.done_when) and not judged
    assert node.worked or done_before
    children = snapshot.children(node.id)
    if children and not done_before:
        assert _children_allow(node, children)


def _children_allow(node: Node, children: list[Node]) -> bool:
    achieved = [child.status == S.ACHIEVED for child in children]
    return any(achieved) if node.decomposition == Decomposition.OR else all(achieved)


def check_rest(snapshot: Snapshot, decisions: tuple[Decision, ...], now: datetime) -> None:
    """Hold a settled picture to rule 10: either something is to be done, or it has ended, or a wait has an owner."""
    assert settle(snapshot, now) == (snapshot, [], decisions), "settling what is settled changes nothing"
    if decisions or snapshot.goal.is_terminal or snapshot.goal.status == G.PAUSED:
        return
    goal = snapshot.goal
    if goal.waits_for == WaitsFor.QUESTION:
        asked = any(n.status == S.WAITING and n.asked for n in snapshot.nodes)
        assert asked or goal.plan_asked, "somebody was asked"
        if goal.plan_asked:
            assert goal.wake_at == goal.plan_wake_at, "it is reminded of, and then no longer waited for"
    else:
        assert goal.wake_at is not None
        assert goal.wake_at > now
    assert goal.status in {G.WAITING, G.PLANNING}
