"""What people do to single subgoals: edit one that has not begun."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.core.exceptions import ValidationError as BadKey
from pydantic import ValidationError

from goals import plans, services, validation
from goals.exceptions import InvalidInput, NotFound, StaleGoal
from goals.llm.replies import PlanSubgoals
from goals.llm.shapes import SubgoalDraft
from goals.models import Goal, Subgoal
from goals.states import SubgoalStatus
from goals.transitions import Writer

EDITABLE = ("gloss", "args")
PLAN_FIELDS = ("gloss", "predicate", "args", "operation", "done_when", "outputs", "tools", "evidence_key")


def edit(user: Any, goal_id: Any, subgoal_id: Any, changes: Any) -> Goal:
    """Change a subgoal that has not begun; refused with all errors, or told with what stood there before."""
    if not isinstance(changes, Mapping) or not changes:
        raise InvalidInput({"subgoal": f"must be an object of {', '.join(EDITABLE)}"})
    unknown = {name: f"cannot be edited; these can: {', '.join(EDITABLE)}" for name in changes if name not in EDITABLE}
    if unknown:
        raise InvalidInput({str(name)[:60]: text for name, text in unknown.items()})
    given = {name: validation.json_value(name, value) for name, value in changes.items()}
    with services.acting(user, goal_id) as writer:
        row = _not_begun(writer, subgoal_id)
        _refuse_bad_plan(writer.goal, row, given)
        before = {name: getattr(row, name) for name in given}
        writer.facts(row, **given)
        told = {"subgoal": str(row.pk), "checkpoint": str(row.checkpoint_id), "before": before, "after": given}
        writer.event("subgoal.edited", told)
        return writer.goal


def _not_begun(writer: Writer, subgoal_id: Any) -> Subgoal:
    services.refuse_ended(writer.goal, "changed")
    try:
        row = Subgoal.objects.select_related("parent").get(goal=writer.goal, pk=subgoal_id)
    except (Subgoal.DoesNotExist, BadKey, ValueError, TypeError):
        raise NotFound(f"the goal has no subgoal {str(subgoal_id)[:80]}") from None
    if row.parent is None:
        raise StaleGoal("the subgoal is its checkpoint's own; edit the checkpoint before it begins, or retry it")
    if row.status != SubgoalStatus.PENDING or row.started_at is not None:
        raise StaleGoal(f"the subgoal is {row.status}; only one that has not begun can be edited")
    writer.know(row)
    return row


def _refuse_bad_plan(goal: Goal, row: Subgoal, given: dict[str, Any]) -> None:
    """Raise InvalidInput with every error that the change brings into the plan that the subgoal belongs to."""
    family = Subgoal.objects.filter(parent=row.parent, plan=row.plan).prefetch_related("depends_on")
    rows = list(family.order_by("position"))
    before = _errors(goal, rows, row.parent)
    for other in rows:
        if other.pk == row.pk:
            for name, value in given.items():
                setattr(other, name, value)
    errors = [error for error in _errors(goal, rows, row.parent) if error not in before]
    if errors:
        raise InvalidInput({"subgoal": "; ".join(errors)})


def _errors(goal: Goal, rows: Sequence[Subgoal], parent: Any) -> list[str]:
    places = {row.pk: place for place, row in enumerate(rows)}
    drafts, errors = [], []
    for number, row in enumerate(rows, 1):
        facts = {name: getattr(row, name) for name in PLAN_FIELDS}
        depends_on = sorted(places[other.pk] for other in row.depends_on.all() if other.pk in places)
        try:
            drafts.append(SubgoalDraft(**facts, depends_on=depends_on))
        except ValidationError as error:
            errors += [f"subgoal {number}: {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
    if errors:
        return errors
    plan = PlanSubgoals(decomposition=parent.decomposition, subgoals=drafts, reasoning="")
    return plans.subgoal_errors(plan, goal, parent)
