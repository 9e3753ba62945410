"""The track record of procedures: how the goals went that followed them."""

from goals.models import Budget, Goal
from goals.states import GoalStatus, Resource
from sops.services import finish_uses

OUTCOMES = {GoalStatus.COMPLETED: "achieved", GoalStatus.CANCELLED: "cancelled"}


def finish(goal: Goal) -> None:
    """Add how an ended goal went to the record of every procedure that it and its subgoals followed."""
    lines = Budget.objects.filter(goal_id=goal.budget_goal_id, resource__in=[Resource.COST_USD, Resource.SECONDS])
    used = dict(lines.values_list("resource", "used"))
    finish_uses(
        goal_id=goal.pk,
        outcome=OUTCOMES.get(GoalStatus(goal.status), "failed"),
        cost=used.get(Resource.COST_USD, 0),
        seconds=float(used.get(Resource.SECONDS, 0)),
    )
