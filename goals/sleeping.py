"""Work that cannot be done just now sleeps: a wake time, no attempt lost, and said in words."""

from goals.decisions import Move
from goals.exceptions import Asleep
from goals.models import Subgoal
from goals.states import GoalStatus, Kind, SubgoalStatus, WaitsFor
from goals.transitions import Writer


def sleep(writer: Writer, subgoal: Subgoal | None, why: Asleep) -> None:
    """Let one subgoal sleep, or (None) the goal itself; what is not at work any more is left as it is."""
    goal = writer.goal
    payload = {"for": WaitsFor.TIMER.value, "wake_at": why.wake_at.isoformat(), "reason": str(why)}
    facts = {"wake_at": why.wake_at}
    if subgoal is not None:
        if subgoal.status == SubgoalStatus.ACTIVE:
            to = SubgoalStatus.WAITING
            writer.move(Move(Kind.SUBGOAL, subgoal.pk, subgoal.status, to, facts, "subgoal.waiting", payload))
            writer.facts(goal, reason=str(why))
        return
    facts["reason"] = str(why)
    if goal.status == GoalStatus.ACTIVE:
        facts["waits_for"] = WaitsFor.TIMER
        writer.move(Move(Kind.GOAL, goal.pk, goal.status, GoalStatus.WAITING, facts, "goal.waiting", payload))
    elif goal.status == GoalStatus.PLANNING:
        writer.move(Move(Kind.GOAL, goal.pk, goal.status, None, facts, "goal.waiting", payload))
