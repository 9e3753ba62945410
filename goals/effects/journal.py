"""Effects: nothing twice, nothing lost (DESIGN section 6).

`intend` writes the row and reserves the budget before the call, or finds in the journal what is known of it already;
`record` writes the outcome. What `intend` finds without outcome is settled by its effect class.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from functools import cache
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from artifacts.clean import clean, clean_text
from goals import rows, spending
from goals.effects import ledger
from goals.effects.ledger import Settled
from goals.exceptions import StaleGoal, StillInFlight
from goals.models import Effect, Goal, ModelCall, ToolCall
from goals.states import EffectClass, EffectStatus, Resource
from goals.transitions import Writer, writing

LOOK_SECONDS = 1.0
OPEN = [EffectStatus.INTENDED, EffectStatus.UNKNOWN]
NO_EFFECT: Mapping[Resource, Decimal] = {}
# The outcome of an effect that has none yet, and the settlement of its reservation: one row says that it was written.
RECORD = """
WITH written AS (
    UPDATE {table} SET {sets} WHERE id = %s AND status IN ('intended', 'unknown') {unless} RETURNING 1
), {settled} SELECT settled.* FROM written LEFT JOIN settled ON true
"""


class Standing(StrEnum):
    """What `intend` found: a new row, one to run again, or one whose outcome is known or must be found out."""

    NEW = "new"
    AGAIN = "again"
    ANSWERED = "answered"
    LOST = "lost"


@dataclass(frozen=True)
class Intent:
    """An effect row and how it stands; `granted` is what was reserved for it."""

    row: ModelCall | ToolCall
    standing: Standing
    granted: Mapping[Resource, Decimal]

    @property
    def is_answered(self) -> bool:
        return self.standing is Standing.ANSWERED

    @property
    def seconds(self) -> float:
        """The time that the budget grants to this call."""
        return float(self.granted.get(Resource.SECONDS, Decimal(120)))


def intend(goal: Goal, epoch: int, row: ModelCall | ToolCall, amounts: Mapping[Resource, Decimal]) -> Intent:
    """Write down that this is about to be done. `row` has everything but its key; its scope says what it is.

    Raises BudgetExceeded, LeaseLost or Interrupted, and then nothing was written.
    """
    number = 1
    while True:
        row.key = f"{row.scope}:{number}"
        try:
            row.epoch = epoch
            granted = ledger.reserve(goal, epoch, row, amounts)
            return Intent(row, Standing.NEW, granted)
        except IntegrityError:
            known = type(row).objects.filter(key=row.key).first()
            if known is None:
                raise
        if known.status == EffectStatus.FAILED:
            number += 1
            continue
        return _standing(goal, epoch, known)


def _standing(goal: Goal, epoch: int, known: ModelCall | ToolCall) -> Intent:
    """Say what is to be done with an effect that the journal knows."""
    granted = {Resource(name): Decimal(amount) for name, amount in known.reserved.items()}
    if known.status == EffectStatus.SUCCEEDED:
        return Intent(known, Standing.ANSWERED, granted)
    _await_what_was_let_go(goal, known, granted)
    if known.status == EffectStatus.UNKNOWN or known.effect_class == EffectClass.EXTERNAL:
        return Intent(known, Standing.LOST, granted)
    adopt(goal, known, epoch)
    return Intent(known, Standing.AGAIN, granted)


def _await_what_was_let_go(goal: Goal, known: ModelCall | ToolCall, granted: Mapping[Resource, Decimal]) -> None:
    """Raise StillInFlight for a call that a pause left in flight, as long as it may end by itself: it is paid once."""
    if goal.let_go_at is None or known.status != EffectStatus.INTENDED or known.created_at > goal.let_go_at:
        return
    now, allowed = timezone.now(), float(granted.get(Resource.SECONDS, Decimal(120)))
    if now < known.created_at + timedelta(seconds=allowed):
        wake_at = now + timedelta(seconds=LOOK_SECONDS)
        raise StillInFlight("a call that was in flight when the goal was paused has not ended yet", wake_at)


def adopt(goal: Goal, known: ModelCall | ToolCall, epoch: int, **facts: Any) -> None:
    """Take over an effect without outcome, to run it again under this epoch; raises StaleGoal if it is settled.

    `facts` are columns that say whose it is now, where that is not who tried it first.
    """
    # A worker whose lease is gone must not take back what its successor has adopted.
    found = type(known).objects.filter(pk=known.pk, status__in=OPEN, epoch__lte=epoch)
    still_ours = Goal.objects.filter(pk=goal.pk, lease_epoch=epoch, status__in=ledger.WORKING)
    if not still_ours.exists() or not found.update(epoch=epoch, status=EffectStatus.INTENDED, **facts):
        raise StaleGoal("the effect was settled meanwhile")
    for name, value in {"epoch": epoch, "status": EffectStatus.INTENDED, **facts}.items():
        setattr(known, name, value)


def find(model: type[Effect], scope: str) -> Any:
    """Return the latest try of an effect, or None."""
    return model.objects.filter(scope=scope).order_by("-created_at").first()  # type: ignore[attr-defined]


def request_of(model: type[Effect], scope: str) -> dict[str, Any] | None:
    """Return what the latest try of an effect asked for; None when there was none."""
    statement = f"SELECT request FROM {model._meta.db_table} WHERE scope = %s ORDER BY created_at DESC LIMIT 1"  # noqa: S608
    found = rows.execute(statement, [scope]).fetchone()
    if found is None:
        return None
    return json.loads(found[0]) if isinstance(found[0], str) else found[0]


def is_answered(model: type[Effect], scope: str) -> bool:
    """Whether an effect has succeeded already, so that asking for it again reaches nothing outside."""
    return model.objects.filter(scope=scope, status=EffectStatus.SUCCEEDED).exists()  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Outcome:
    """What an effect came to. `used` is what it really took; `columns` are further columns of its row."""

    status: EffectStatus
    response: Any = None
    error: str = ""
    used: Mapping[Resource, Decimal] = None  # type: ignore[assignment]
    seconds: float = 0.0
    columns: Mapping[str, Any] = None  # type: ignore[assignment]

    @property
    def cost(self) -> Decimal:
        return (self.used or {}).get(Resource.COST_USD, Decimal(0))


def record(writer: Writer, row: ModelCall | ToolCall, outcome: Outcome) -> None:
    """Write an outcome, settle the budget and append the event, within the writer's transaction.

    An outcome that is still unknown keeps its reservation: it counts as spent until it is found out.
    Raises StaleGoal when the effect was settled by somebody else meanwhile.
    """
    settled = _write(writer.goal, row, outcome)
    if settled is None:
        raise StaleGoal("the effect was settled meanwhile")
    _tell(writer, row, outcome, settled)


def _tell(writer: Writer, row: ModelCall | ToolCall, outcome: Outcome, settled: list[Settled]) -> None:
    """Append the events of an outcome that was written."""
    for line in settled:
        if line.warns:
            payload = {"resource": line.resource.value, "used": str(line.used), "limit": str(line.limit)}
            writer.event("budget.warning", payload)
        if line.overrun > 0:
            payload = {"resource": line.resource.value, "limit": str(line.limit), "overrun": str(line.overrun)}
            writer.event("budget.exceeded", payload)
    writer.event(*_event(row, outcome))


def record_late(row: ModelCall | ToolCall, outcome: Outcome) -> None:
    """Write the outcome of a worker that may move nothing any more: on its effect row and in the budget alone.

    An outcome that is still unknown says nothing, and a failure says nothing of an effect that another worker has
    adopted and may be doing right now; a success ends it for both.
    """
    if outcome.status in OPEN:
        return
    with transaction.atomic():
        goal = Goal.objects.get(pk=row.goal_id)
        if isinstance(row, ModelCall):
            tokens = row.input_tokens + row.output_tokens
            at, version = timezone.now(), goal.sop_version_id
            spending.count(goal.owner_id, row.model, usd=outcome.cost, tokens=tokens, at=at, version=version)
        if _write(goal, row, outcome, late=True) is not None:
            return
        # Somebody else has settled it; what this worker used is real all the same.
        type(row).objects.filter(pk=row.pk).update(late=True, cost_usd=F("cost_usd") + outcome.cost)
        ledger.settle(goal, {}, outcome.used or {})


def is_recorded(row: ModelCall | ToolCall, outcome: Outcome) -> bool:
    """Whether this very outcome stands in the journal already, though the answer to its commit may have been lost."""
    mark = {"status": outcome.status, "epoch": row.epoch, "finished_at": row.finished_at}
    return type(row).objects.filter(pk=row.pk, **mark).exists()


def settle_left_behind(most: int = 100) -> int:
    """Settle what ended goals have left in flight because its worker died; returns how many.

    Nobody will ask for it any more. What it may have taken counts as used; what an external one did stays unknown.
    """
    free = Q(goal__lease_expires_at=None) | Q(goal__lease_expires_at__lt=Now())
    settled = 0
    for model in (ModelCall, ToolCall):
        left = model.objects.filter(free, status__in=OPEN, goal__finished_at__isnull=False).exclude(reserved={})
        for row in left[:most]:
            with writing(row.goal_id) as writer:
                settled += _settle_left_behind(writer, row)
    return settled


def _settle_left_behind(writer: Writer, row: ModelCall | ToolCall) -> bool:
    held = {Resource(name): Decimal(amount) for name, amount in row.reserved.items()}
    error = "its worker died, and the goal has ended"
    was_told = row.status == EffectStatus.UNKNOWN
    if row.effect_class != EffectClass.EXTERNAL:
        outcome = Outcome(EffectStatus.FAILED, error=error, used=held)
    else:
        outcome = Outcome(EffectStatus.UNKNOWN, error=error, used=held, columns={"reserved": {}})
    settled = _write(writer.goal, row, outcome, settles=True)
    if settled is None:
        return False
    if not was_told or outcome.status is EffectStatus.FAILED:
        _tell(writer, row, outcome, settled)
    return True


def _write(
    goal: Goal, row: ModelCall | ToolCall, outcome: Outcome, *, late: bool = False, settles: bool = False
) -> list[Settled] | None:
    """Write an outcome and settle its reservation; one that is still open keeps it, unless it `settles` all the same.

    Returns what was settled; None when the effect is settled already, or is not this worker's any more.
    """
    settles = settles or outcome.status not in OPEN
    settling = ledger.settling(goal, row.reserved if settles else {}, (settles and outcome.used) or {})
    columns = {
        "status": outcome.status,
        "response": clean(outcome.response),
        "error": clean_text(outcome.error)[:20_000],
        "cost_usd": outcome.cost,
        "seconds": outcome.seconds,
        "late": late,
        "finished_at": None if outcome.status in OPEN else timezone.now(),
        **(outcome.columns or {}),
    }
    before = {name: getattr(row, name) for name in columns}
    for name, value in columns.items():
        setattr(row, name, value)
    sets, values = rows.assignments(row, columns)
    values.append(row.pk)
    is_ours = not late or outcome.status == EffectStatus.FAILED
    if is_ours:
        values.append(row.epoch)
    statement = _recording(type(row), sets, "AND epoch = %s" if is_ours else "")
    found = rows.execute(statement, [*values, *settling]).fetchall()
    if not found:
        for name, value in before.items():
            setattr(row, name, value)
        return None
    return ledger.settled(line for line in found if line[0] is not None)


@cache
def _recording(model: type[Effect], sets: str, unless: str) -> str:
    return RECORD.format(table=model._meta.db_table, sets=sets, unless=unless, settled=ledger.SETTLED)


def _event(row: ModelCall | ToolCall, outcome: Outcome) -> tuple[str, dict[str, Any]]:
    about: dict[str, Any] = {
        "call": str(row.pk),
        "subgoal": str(row.subgoal_id) if row.subgoal_id else None,
        "checkpoint": str(row.checkpoint_id) if row.checkpoint_id else None,
        "status": outcome.status.value,
        "seconds": round(outcome.seconds, 3),
        "error": clean_text(outcome.error)[:500],
    }
    if isinstance(row, ToolCall):
        kind = "tool.unknown" if outcome.status == EffectStatus.UNKNOWN else "tool.called"
        return kind, {**about, "tool": row.tool, "summary": row.summary[:500]}
    tokens = {"input_tokens": row.input_tokens, "output_tokens": row.output_tokens}
    return "model.called", {
        **about,
        "purpose": row.purpose,
        "model": row.model,
        "cost_usd": str(outcome.cost),
        **tokens,
    }
