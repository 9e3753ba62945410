"""What people do with goals. Every face calls these and nothing else; each checks the person, moves, and writes events.

All raise `GoalError`s: InvalidInput (field by field), NotFound, NotAllowed, StaleGoal.
"""

from goals.services.finding import UNFINISHED, acting, find, refuse_ended, refuse_while_plan_waits, to_move
from goals.services.limiting import budget_of, raise_limits
from goals.services.moving import cancel, pause, rearm, resume
from goals.services.steering import LONGEST_STEERING, revise, steer, take_back_steering
from goals.services.submitting import ASKS_A_MODEL, costs, fork, submit

__all__ = [
    "ASKS_A_MODEL",
    "LONGEST_STEERING",
    "UNFINISHED",
    "acting",
    "budget_of",
    "cancel",
    "costs",
    "find",
    "fork",
    "pause",
    "raise_limits",
    "rearm",
    "refuse_ended",
    "refuse_while_plan_waits",
    "resume",
    "revise",
    "steer",
    "submit",
    "take_back_steering",
    "to_move",
]
