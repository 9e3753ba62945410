"""The moves that several decisions end in, as values. Pure."""

from datetime import datetime
from typing import Any

from goals.decisions import Move
from goals.states import GoalStatus, Kind, Outcome, PauseReason, SubgoalStatus, WaitsFor
from goals.tree import GoalView, Node


def move_goal(goal: GoalView, to: GoalStatus | None, event: str, payload: dict[str, Any], **facts: Any) -> Move:
    return Move(Kind.GOAL, goal.id, goal.status, to, facts, event, payload)


def wait_goal(goal: GoalView, wake_at: datetime | None, waits_for: WaitsFor) -> Move:
    payload = {"for": waits_for.value, "wake_at": wake_at.isoformat() if wake_at else None}
    return move_goal(goal, GoalStatus.WAITING, "goal.waiting", payload, wake_at=wake_at, waits_for=waits_for)


def pause(goal: GoalView, why: PauseReason, reason: str, **facts: Any) -> Move:
    payload = {"for": why.value, "reason": reason}
    return move_goal(goal, GoalStatus.PAUSED, "goal.paused", payload, paused_for=why, reason=reason, **facts)


def fail(goal: GoalView, outcome: Outcome, reason: str, **facts: Any) -> Move:
    payload = {"outcome": outcome.value, "reason": reason}
    return move_goal(goal, GoalStatus.FAILED, "goal.failed", payload, outcome=outcome, reason=reason, **facts)


def move_node(node: Node, to: SubgoalStatus | None, event: str, payload: dict[str, Any], **facts: Any) -> Move:
    return Move(Kind.SUBGOAL, node.id, node.status, to, facts, event, payload)
