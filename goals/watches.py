"""What people do to a watch: change its rule, or have it look at once."""

from typing import Any

from goals import services, watch_wishes
from goals.exceptions import InvalidInput, StaleGoal
from goals.models import Goal, Watch
from goals.states import GoalStatus, Mode, WaitsFor
from goals.transitions import Writer


def change(user: Any, goal_id: Any, changes: Any) -> Goal:
    """Change a watch's rule; it looks again at once, if it waits."""
    columns = watch_wishes.parse(changes, services.to_move(user, goal_id).owner)
    if not columns:
        raise InvalidInput({"watch": f"must be an object of {', '.join(watch_wishes.RULE)}"})
    with services.acting(user, goal_id) as writer:
        goal = _watching(writer)
        services.refuse_ended(goal, "given another rule to watch by")
        Watch.objects.filter(goal=goal).update(**columns)
        told = {name: value.isoformat() if name == "deadline" and value else value for name, value in columns.items()}
        writer.event("goal.watch_changed", {"watch": told})
        if goal.waits_for == WaitsFor.WATCH:
            _wake(writer)
    return goal


def look_now(user: Any, goal_id: Any) -> Goal:
    """Look before the next look is due."""
    with services.acting(user, goal_id) as writer:
        goal = _watching(writer)
        if goal.status != GoalStatus.WAITING:
            raise StaleGoal(f"the watch is {goal.status}; only one that waits can be told to look")
        _wake(writer)
    return goal


def _watching(writer: Writer) -> Goal:
    if writer.goal.mode != Mode.MONITOR:
        raise StaleGoal("the goal is worked on; it watches nothing")
    return writer.goal


def _wake(writer: Writer) -> None:
    writer.facts(writer.goal, wake_at=writer.now)
    said = {"for": WaitsFor.WATCH.value, "wake_at": writer.now.isoformat(), "reason": "a person asked to look now"}
    writer.event("goal.waiting", said)
    writer.wakes_workers = True
