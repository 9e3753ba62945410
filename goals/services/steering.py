"""What a person says to a goal at work: a word that is heeded, or that another plan is wanted."""

from typing import Any

from goals import loop, validation
from goals.exceptions import StaleGoal
from goals.models import Goal
from goals.services.finding import UNFINISHED, acting, refuse_ended, refuse_while_plan_waits
from goals.states import Mode

LONGEST_STEERING = 10_000
KEPT_STEERING = 20


def steer(user: Any, goal_id: Any, text: Any, *, message: Any = None) -> Goal:
    """Store a word of guidance at once; it enters the next prompt. `message` is the id of the message that said it.

    The checkpoint in hand is finished; then the plan is looked at again before the next one begins.
    """
    text = validation.text("text", text, most=LONGEST_STEERING, required=True)
    with acting(user, goal_id) as writer:
        goal = writer.goal
        refuse_ended(goal, "steered")
        entry = {"text": text, "by": user.get_username(), "at": writer.now.isoformat()}
        entry |= {"message": str(message)} if message else {}
        writer.facts(goal, steering=[*goal.steering, entry][-KEPT_STEERING:], words=goal.words + 1)
        writer.event("goal.steered", {"text": text})
        return goal


def take_back_steering(user: Any, goal_id: Any, message: Any) -> bool:
    """Take back what a message has steered; False when there is no such word, or the goal has ended.

    That it was taken back is a word of its own: a plan that heeded it is looked at again.
    """
    with acting(user, goal_id) as writer:
        goal = writer.goal
        said = [entry for entry in goal.steering if entry.get("message") == str(message)]
        said = [entry for entry in said if not entry.get("taken_back")]
        if not said or goal.status not in UNFINISHED:
            return False
        others = [entry for entry in goal.steering if entry not in said]
        taken_back = [{**entry, "taken_back": True} for entry in said]
        writer.facts(goal, steering=[*others, *taken_back], words=goal.words + 1)
        writer.event("goal.steered", {"text": said[0]["text"], "taken_back": True})
        return True


def revise(user: Any, goal_id: Any, reason: Any) -> Goal:
    """Ask for a new plan of what remains, with a reason; what is completed stays.

    The checkpoint in hand is given up for it at once, unless something has been done outside for it already: then it
    is finished first. The limit of revisions is the goal's own: what a person asks for does not count, and never ends
    the goal.
    """
    reason = validation.text("reason", reason, most=LONGEST_STEERING, required=True)
    with acting(user, goal_id) as writer:
        goal = writer.goal
        refuse_ended(goal, "revised")
        if goal.plan_due or goal.mode == Mode.MONITOR:
            raise StaleGoal("the goal has no plan" + (" yet" if goal.plan_due else ": it only watches"))
        refuse_while_plan_waits(goal)
        writer.facts(goal, revise_reason=reason, asked_revisions=goal.asked_revisions + 1, unachievable="")
        writer.event("goal.steered", {"text": reason, "revise": True})
        loop.settle(writer, loop.load(goal))
        writer.wakes_workers = True
        return goal
