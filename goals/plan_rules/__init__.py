"""PURE: the rules that every plan must keep, a procedure's and a model's, of checkpoints and of subgoals.

`checkpoint_errors` and `subgoal_errors` take a plan as plain JSON and say all that is wrong with it, each error with
its field (`checkpoints[2].args.input.path: …`, counted from 0) and what is allowed; an empty list is a good plan.
"""

from goals.plan_rules.check import MAX_ERRORS, checkpoint_errors, subgoal_errors
from goals.plan_rules.known import Known

__all__ = ["MAX_ERRORS", "Known", "checkpoint_errors", "subgoal_errors"]
