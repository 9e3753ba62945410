"""Changing a goal's sealed verifier: an operator's act, with a reason and an event (DESIGN section 9)."""

from typing import Any

from goals import validation
from goals.exceptions import InvalidInput, NotAllowed, StaleGoal
from goals.models import Goal, Watch
from goals.services import ASKS_A_MODEL, acting, costs, refuse_ended, to_move
from goals.states import GoalStatus, Mode
from goals.verifiers.spec import digest


def change_verifier(user: Any, goal_id: Any, verifier: Any, reason: Any) -> Goal:
    """Seal another verifier in place of a goal's own; what the old one said proves nothing any more.

    Needs `goals.operate`, and for a verifier that runs on the host the permission for that as well: whoever owns a goal
    does not thereby say what proves it. Raises InvalidInput, NotAllowed, NotFound or StaleGoal.
    """
    to_move(user, goal_id)
    if not user.has_perm("goals.operate"):
        raise NotAllowed("to change a sealed verifier you need the permission goals.operate")
    spec, reason = validation.collect(
        lambda: validation.verifier(verifier, user),
        lambda: validation.text("reason", reason, most=2000, required=True),
    )
    if spec is None:
        raise InvalidInput({"verifier": "must be given: a goal is never left without one"})
    with acting(user, goal_id) as writer:
        goal = writer.goal
        refuse_ended(goal, "given another verifier; rearm it first")
        validation.within_reach(spec, goal.workspace)
        if goal.mode == Mode.MONITOR and costs(spec):
            raise InvalidInput({"verifier": ASKS_A_MODEL})
        seal, before = digest(spec), goal.verifier_digest
        if seal == before:
            raise StaleGoal("this is the goal's verifier already")
        begins = goal.status == GoalStatus.PLANNING or goal.preflight_due
        writer.facts(
            goal,
            verifier=spec,
            verifier_digest=seal,
            seals=goal.seals + 1,
            preflight_due=begins and goal.mode == Mode.DRIVE and not costs(spec),
            verdict="",
            verdict_reason="",
            fingerprint="",
            repeats=0,
        )
        Watch.objects.forget(goal)
        writer.event("goal.verifier_changed", {"from": before, "to": seal, "verifier": spec, "reason": reason})
        writer.wakes_workers = True
        return goal
