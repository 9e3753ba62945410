"""What people do to single checkpoints: skip one, begin one anew, edit one that has not begun.

Each checks the person, is an event, and leaves a goal that a driver can go on with at once.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.exceptions import ValidationError as BadKey
from django.db.models import F, Max
from pydantic import ValidationError

from goals import plans, services, validation
from goals.decisions import Move
from goals.exceptions import InvalidInput, NotFound, StaleGoal
from goals.llm.shapes import CheckpointDraft
from goals.models import Checkpoint, Goal, Subgoal
from goals.states import CheckpointStatus, GoalStatus, Kind, SubgoalStatus
from goals.transitions import Writer

C, S = CheckpointStatus, SubgoalStatus
EDITABLE = ("title", "description", "success_criteria", "args", "tools")
PLAN_FIELDS = ("title", "description", "success_criteria", "predicate", "args", "tools", "done_when")
COPIED = (*PLAN_FIELDS, "verifier", "operation", "evidence_key", "provenance")
NUMBER = re.compile(r"[1-9][0-9]{0,5}")
FAR = 1_000_000  # beyond every position, while checkpoints move aside


def skip(user: Any, goal_id: Any, checkpoint_id: Any, reason: Any) -> Goal:
    """Leave out a checkpoint, and say why; the goal is completed by its verifier all the same, or not at all."""
    reason = validation.text("reason", reason, most=2000, required=True)
    with services.acting(user, goal_id) as writer:
        row = _unfinished(writer, checkpoint_id, "skipped", {C.PENDING, C.ACTIVE})
        _drop_work(writer, row, reason)
        facts = {"failure": reason}
        writer.move(
            Move(Kind.CHECKPOINT, row.pk, row.status, C.SKIPPED, facts, "checkpoint.skipped", {"reason": reason})
        )
        _go_on(writer)
        return writer.goal


def retry(user: Any, goal_id: Any, checkpoint_id: Any, reason: Any = "") -> Goal:
    """Begin a checkpoint anew: the active one from its start, a failed one as a fresh copy that is worked on next."""
    reason = validation.text("reason", reason, most=2000) or "a person asked for another attempt"
    with services.acting(user, goal_id) as writer:
        row = _unfinished(writer, checkpoint_id, "retried", {C.ACTIVE, C.FAILED})
        if row.status == C.ACTIVE:
            _drop_work(writer, row, reason)
            writer.facts(row, failure=reason, verdict="")
            again = row
        else:
            again = _copy(writer, row)
            writer.facts(writer.goal, revise_reason="")
        told = {"checkpoint": str(again.pk), "of": str(row.pk), "title": row.title, "position": again.position}
        writer.event("checkpoint.retried", {**told, "reason": reason})
        _go_on(writer)
        return writer.goal


def edit(user: Any, goal_id: Any, checkpoint_id: Any, changes: Any) -> Goal:
    """Change a checkpoint that has not begun; refused with all errors, or told with what stood there before."""
    if not isinstance(changes, Mapping) or not changes:
        raise InvalidInput({"checkpoint": f"must be an object of {', '.join(EDITABLE)}"})
    unknown = {name: f"cannot be edited; these can: {', '.join(EDITABLE)}" for name in changes if name not in EDITABLE}
    if unknown:
        raise InvalidInput({str(name)[:60]: text for name, text in unknown.items()})
    given = {name: validation.json_value(name, value) for name, value in changes.items()}
    with services.acting(user, goal_id) as writer:
        row = _unfinished(writer, checkpoint_id, "edited", {C.PENDING})
        _refuse_bad_plan(writer.goal, row, given)
        before = {name: getattr(row, name) for name in given}
        writer.know(row)
        writer.facts(row, **given)
        told = {"checkpoint": str(row.pk), "title": row.title, "position": row.position}
        writer.event("checkpoint.edited", {**told, "before": before, "after": given})
        return writer.goal


def numbered(goal: Goal, number: Any) -> Checkpoint:
    """Return the checkpoint that people see under this number, 1 being the first; raises InvalidInput."""
    rows = Checkpoint.objects.filter(goal=goal)
    last = rows.aggregate(last=Max("position"))["last"]
    if last is None:
        raise InvalidInput({"checkpoint": "the goal has no steps yet"})
    text = str(number).strip()
    found = rows.filter(position=int(text) - 1).first() if NUMBER.fullmatch(text) else None
    if found is None:
        raise InvalidInput({"checkpoint": f"there is no step {text[:20]!r}; they are numbered 1 to {last + 1}"})
    return found


def _unfinished(writer: Writer, checkpoint_id: Any, what: str, allowed: set[CheckpointStatus]) -> Checkpoint:
    services.refuse_ended(writer.goal, "changed")
    services.refuse_while_plan_waits(writer.goal)
    try:
        row = Checkpoint.objects.get(goal=writer.goal, pk=checkpoint_id)
    except (Checkpoint.DoesNotExist, BadKey, ValueError, TypeError):
        raise NotFound(f"the goal has no checkpoint {str(checkpoint_id)[:80]}") from None
    if row.status not in allowed:
        listed = " or ".join(sorted(status.value for status in allowed))
        raise StaleGoal(f"the checkpoint is {row.status}; only one that is {listed} can be {what}")
    writer.know(row)
    return row


def _drop_work(writer: Writer, row: Checkpoint, reason: str) -> None:
    """Skip what is unfinished of the attempt in hand; what is in flight ends on its effect row and moves nothing."""
    for subgoal in Subgoal.objects.filter(checkpoint=row, finished_at=None):
        writer.know(subgoal)
        facts, told = {"wake_at": None}, {"reason": reason}
        writer.move(Move(Kind.SUBGOAL, subgoal.pk, subgoal.status, S.SKIPPED, facts, "subgoal.skipped", told))


def _copy(writer: Writer, row: Checkpoint) -> Checkpoint:
    """Put a fresh copy of an ended checkpoint before those that have not begun."""
    goal = writer.goal
    pending = Checkpoint.objects.filter(goal=goal, status=C.PENDING)
    first = pending.order_by("position").values_list("position", flat=True).first()
    if first is None:
        first = Checkpoint.objects.filter(goal=goal).aggregate(last=Max("position"))["last"] + 1
    pending.update(position=F("position") + FAR)  # the database checks each row's position at once
    pending.update(position=F("position") - FAR + 1)
    copy = Checkpoint(goal=goal, position=first, **{name: getattr(row, name) for name in COPIED})
    copy.iteration, copy.revision, copy.evidence_since = goal.iteration, goal.revision, writer.now
    writer.insert(copy)
    return copy


def _go_on(writer: Writer) -> None:
    """Wake a goal that waited for what was dropped."""
    goal = writer.goal
    if goal.status == GoalStatus.WAITING:
        facts = {"wake_at": None, "waits_for": "", "reason": ""}
        writer.move(Move(Kind.GOAL, goal.pk, GoalStatus.WAITING, GoalStatus.ACTIVE, facts))
    writer.wakes_workers = True


def _refuse_bad_plan(goal: Goal, row: Checkpoint, given: dict[str, Any]) -> None:
    """Raise InvalidInput with every error that the change brings into the plan of what is not completed yet."""
    rows = list(Checkpoint.objects.filter(goal=goal, status__in=[C.ACTIVE, C.PENDING]).order_by("position"))
    before = _errors(goal, rows)
    for other in rows:
        if other.pk == row.pk:
            for name, value in given.items():
                setattr(other, name, value)
    errors = [error for error in _errors(goal, rows) if error not in before]
    if errors:
        raise InvalidInput({"checkpoint": "; ".join(errors)})


def _errors(goal: Goal, rows: Sequence[Checkpoint]) -> list[str]:
    drafts, errors = [], []
    for number, row in enumerate(rows, 1):
        facts = {name: getattr(row, name) for name in PLAN_FIELDS}
        try:
            drafts.append(CheckpointDraft(**facts, operation=row.operation, evidence_key=row.evidence_key))
        except ValidationError as error:
            errors += [f"checkpoint {number}: {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
    return errors or plans.checkpoint_errors(drafts, goal)
