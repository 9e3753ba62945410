"""Letting a goal rest, go on, end, and come back."""

from typing import Any

from goals import loop, validation
from goals.decisions import Move
from goals.exceptions import NotAllowed, StaleGoal
from goals.models import Goal, Subgoal, Watch
from goals.services.finding import UNFINISHED, acting, refuse_ended, to_move
from goals.states import GoalStatus, Kind, Mode, PauseReason, SubgoalStatus


def pause(user: Any, goal_id: Any, *, reason: str = "", now: bool = False) -> Goal:
    """Let the effect in hand finish, then rest until `resume`.

    With `now` it is not waited for: its worker loses the lease, and what it comes to stands in the journal for later.
    """
    reason = validation.text("reason", reason, most=2000)
    with acting(user, goal_id) as writer:
        goal = writer.goal
        refuse_ended(goal, "paused")
        if goal.status == GoalStatus.PAUSED:
            raise StaleGoal("the goal is paused already")
        facts: dict[str, Any] = {"paused_for": PauseReason.USER, "reason": reason}
        payload: dict[str, Any] = {"for": PauseReason.USER.value, "reason": reason}
        if now:
            facts |= {"lease_epoch": goal.lease_epoch + 1, "lease_owner": "", "lease_expires_at": None}
            facts["let_go_at"], payload["now"] = writer.now, True
        writer.move(Move(Kind.GOAL, goal.pk, goal.status, GoalStatus.PAUSED, facts, "goal.paused", payload))
        loop.settle(writer, loop.load(goal))  # what has not begun yet is taken out of hand
        return goal


def resume(user: Any, goal_id: Any) -> Goal:
    """Go on where the goal stood; what was blocked is tried again."""
    with acting(user, goal_id) as writer:
        goal = writer.goal
        if goal.status != GoalStatus.PAUSED:
            raise StaleGoal(f"the goal is {goal.status}; only a paused goal can be resumed")
        to = GoalStatus.PLANNING if goal.started_at is None else GoalStatus.ACTIVE
        facts = {"failure": None, "attempt": 1, "resumes": goal.resumes + 1, "wake_at": None, "reason": ""}
        for subgoal in Subgoal.objects.filter(goal=goal, status=SubgoalStatus.BLOCKED):
            writer.know(subgoal)
            move = Move(Kind.SUBGOAL, subgoal.pk, SubgoalStatus.BLOCKED, SubgoalStatus.PENDING, {"failure": None})
            writer.move(move)
        writer.move(Move(Kind.GOAL, goal.pk, goal.status, to, facts, "goal.resumed"))
        writer.wakes_workers = True
        return goal


def cancel(user: Any, goal_id: Any, *, reason: str = "") -> Goal:
    """End the goal and those that it has made, now; what is in flight finishes on its effect row and moves nothing."""
    reason = validation.text("reason", reason, most=2000)
    with acting(user, goal_id) as writer:
        goal = writer.goal
        refuse_ended(goal, "cancelled")
        facts = {"reason": reason or "cancelled", "wake_at": None}
        payload = {"reason": facts["reason"]}
        writer.move(Move(Kind.GOAL, goal.pk, goal.status, GoalStatus.CANCELLED, facts, "goal.cancelled", payload))
        for made in Goal.objects.filter(parent=goal, status__in=UNFINISHED).order_by("pk"):
            cancel(user, made.pk, reason="the goal that made it was cancelled")
        return goal


def rearm(user: Any, goal_id: Any) -> Goal:
    """Bring an ended goal back with a new plan: an operator's act."""
    to_move(user, goal_id)
    if not user.has_perm("goals.rearm"):
        raise NotAllowed("to rearm a goal you need the permission goals.rearm")
    with acting(user, goal_id) as writer:
        goal = writer.goal
        if goal.status in UNFINISHED:
            raise StaleGoal(f"the goal is {goal.status}; only an ended goal can be rearmed")
        writer.rearm()
        Watch.objects.forget(goal)
        writer.facts(
            goal,
            outcome="",
            reason="",
            proof=None,
            verdict="",
            verdict_reason="",
            repeats=0,
            unachievable="",
            failure=None,
            revise_reason="",
            summary_due=False,
            revise_streak=0,
            dear_streak=0,
            since_evaluation=0,
            plan_due=goal.mode == Mode.DRIVE,
            plan_asked=False,
            plan_wake_at=None,
            plan_remarks=[],
            attempt=1,
            iteration=goal.iteration + 1,
            iteration_started_at=writer.now,
            wake_at=None,
        )
        writer.wakes_workers = True
        return goal
