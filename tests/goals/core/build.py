"""Snapshots in a few words: a goal, its checkpoints and nodes as the examples of this package need them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from goals.decisions import Action, Decision, Perform
from goals.engine import settle
from goals.states import CheckpointStatus, Decomposition, GoalStatus, Predicate, SubgoalStatus
from goals.tree import CheckpointView, Condition, GoalView, Limits, Node, Snapshot

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
AND, OR = Decomposition.AND, Decomposition.OR
S, C, G, P = SubgoalStatus, CheckpointStatus, GoalStatus, Predicate


def has(key: str) -> Condition:
    return Condition("has_evidence", key)


def true(statement: str = "") -> Condition:
    return Condition("predicate_true", statement)


def after(at: datetime) -> Condition:
    return Condition("after", at=at)


def goal(**facts: Any) -> GoalView:
    """An active goal whose plan is made."""
    return GoalView(id="goal", **{"status": G.ACTIVE, "plan_due": False, **facts})


def node(name: str, predicate: Predicate = P.EXECUTE, **facts: Any) -> Node:
    """A node at work; a child of `root` unless it is the root itself."""
    parent = None if name == "root" else "root"
    return Node(id=name, predicate=predicate, **{"status": S.ACTIVE, "parent": parent, **facts})


def composite(name: str = "root", **facts: Any) -> Node:
    return node(name, P.COMPOSITE, **{"atomized": "plan", **facts})


def checkpoint(**facts: Any) -> CheckpointView:
    """The active checkpoint in its first attempt."""
    return CheckpointView(id="c", **{"position": 0, "status": C.ACTIVE, "attempts": 1, "root": "root", **facts})


def pending(position: int = 1) -> CheckpointView:
    return CheckpointView(id=f"c{position}", position=position)


def tree_of(*nodes: Node, evidence: tuple[str, ...] = (), limits: Limits | None = None, **goal_facts: Any) -> Snapshot:
    """An active goal with one active checkpoint, whose root is the first node; positions follow the order given."""
    placed = tuple(replace(n, position=n.position or place) for place, n in enumerate(nodes))
    found = checkpoint(root=nodes[0].id)
    return Snapshot(goal(**goal_facts), (found,), placed, frozenset(evidence), limits or Limits())


def plan_of(*checkpoints: CheckpointView, limits: Limits | None = None, **goal_facts: Any) -> Snapshot:
    """An active goal with these checkpoints and no tree."""
    return Snapshot(goal(**goal_facts), checkpoints, limits=limits or Limits())


def settled(snapshot: Snapshot, now: datetime = NOW) -> tuple[Snapshot, tuple[Decision, ...]]:
    """Return the snapshot when no move is left, and what the shell is asked for."""
    after_moves, _, decisions = settle(snapshot, now)
    return after_moves, decisions


def asked_for(snapshot: Snapshot, now: datetime = NOW) -> list[tuple[Action, Any]]:
    """Return the effects wanted once the snapshot has settled."""
    _, decisions = settled(snapshot, now)
    return [(d.action, d.target) for d in decisions if isinstance(d, Perform)]


def statuses(snapshot: Snapshot) -> dict[Any, str]:
    return {n.id: str(n.status) for n in snapshot.nodes}
