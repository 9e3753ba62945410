"""Carrying out one tool call: one effect of its class."""

import time
from contextlib import AbstractContextManager, nullcontext
from decimal import Decimal
from functools import partial
from typing import Any

from django.conf import settings

from artifacts.clean import clean
from goals.connections import pooled, released
from goals.digests import digest
from goals.driver import Drive
from goals.effects import breakers, journal
from goals.effects.breakers import Pass
from goals.effects.calls import Call, target_facts
from goals.effects.journal import Intent, Outcome, Standing
from goals.effects.tool_calls.approvals import ask_approval, refuse_denied
from goals.effects.tool_calls.lost import find_out
from goals.effects.tool_calls.outcomes import outcome_of, record_failure, response_of, result_of, said
from goals.effects.tool_calls.prepared import TOOL_SECONDS, Prepared, context_of
from goals.effects.tool_calls.repeats import is_of_completed, made_before
from goals.exceptions import NeedsAnswer, StaleGoal
from goals.models import Subgoal, ToolCall
from goals.outages import is_outage
from goals.states import BreakerKind, EffectClass, EffectStatus, Resource
from goals.tools.base import Tool
from goals.tools.errors import DeniedTool, OutcomeUnknown, ToolError, ToolTimeout
from goals.transitions import Writer


def run(drive: Drive, subgoal: Subgoal, prepared: Prepared, *, mark: Any, model_call: Any = None) -> Call:
    """Carry out one tool call as an effect; returns the `Call` whose `value` is the ToolResult.

    Raises ToolError (recorded), or NeedsAnswer when a person must approve or say what became of a lost call.
    """
    tool = prepared.tool
    with pooled():
        before = made_before(drive, prepared)
    repeats = before if before is not None and is_of_completed(before, subgoal) else None
    if before is None or repeats is not None:
        refuse_denied(tool, drive.goal)
    if before is None or repeats is not None or before.status != EffectStatus.SUCCEEDED:
        ask_approval(drive, subgoal, prepared, repeats)
    row = _row(drive, subgoal, prepared, mark, model_call)
    if before is not None and repeats is None:
        row.scope = before.scope
    amounts = {Resource.SECONDS: Decimal(TOOL_SECONDS)}
    began = time.monotonic()
    with pooled(), _permitted(tool, row) as given:
        intent = journal.intend(drive.goal, drive.epoch, row, amounts)
    if intent.is_answered:
        return Call(intent.row, None, result_of(intent.row.response or {}))
    if intent.standing is Standing.LOST:
        began = time.monotonic()
        found = find_out(drive, subgoal, prepared, intent.row)
        if found is None:
            _refuse_again(drive, tool, intent.row)
        return found or _do(drive, prepared, Intent(intent.row, Standing.AGAIN, intent.granted), began, given)
    if tool.effect_class == EffectClass.TRANSACTIONAL:
        return _do_here(drive, prepared, intent)
    return _do(drive, prepared, intent, began, given)


def _refuse_again(drive: Drive, tool: Tool, row: ToolCall) -> None:
    """A lost call that did not happen is not made where the policy denies its tool by now."""
    try:
        refuse_denied(tool, drive.goal)
    except DeniedTool as error:
        record_failure(drive, row, EffectStatus.FAILED, str(error), 0.0)
        raise


def _row(drive: Drive, subgoal: Subgoal, prepared: Prepared, mark: Any, model_call: Any) -> ToolCall:
    tool = prepared.tool
    facts, scope = target_facts(drive, subgoal)
    call_id = "" if model_call is None else str(mark[-1])
    if tool.effect_class == EffectClass.EXTERNAL:
        # Another attempt at the same checkpoint never repeats what was done outside: it is already real.
        scope, mark = ["checkpoint", subgoal.checkpoint_id], "external"
    return ToolCall(
        goal=drive.goal,
        **facts,
        tool=tool.name,
        effect_class=tool.effect_class,
        scope=digest("tool", drive.goal.pk, scope, mark, tool.name, prepared.arguments),
        request={"input": prepared.arguments},
        untrusted=prepared.untrusted,
        model_call=model_call,
        call_id=call_id,
    )


def _permitted(tool: Tool, row: ToolCall) -> AbstractContextManager[Pass | None]:
    """Ask the breaker of a tool that reaches a far side, unless the journal has its result."""
    if not tool.far_side:
        return nullcontext()
    known = partial(journal.is_answered, ToolCall, row.scope)
    name = tool.beyond(row.request["input"])
    return breakers.permitted(BreakerKind.TOOL, name, key=row.scope, seconds=float(TOOL_SECONDS), known=known)


def _do(drive: Drive, prepared: Prepared, intent: Intent, began: float, given: Pass | None) -> Call:
    tool, row, started = prepared.tool, intent.row, time.monotonic()
    context = context_of(drive, row, intent.seconds)
    try:
        input = tool.parse(prepared.arguments)
        _refuse_dropped(tool, row)
        _refuse_late_start(tool, began)  # the last of all: whatever comes between it and the call may be held up
    except ToolError as error:
        record_failure(drive, row, EffectStatus.FAILED, str(error), 0.0)
        raise
    try:
        with released(), breakers.told(given, patient=intent.seconds >= TOOL_SECONDS) if given else nullcontext():
            result = tool.run(input, context)
        response = clean(response_of(result))
    except Exception as error:
        if _may_have_happened(tool, error):
            record_failure(drive, row, EffectStatus.UNKNOWN, said(error), time.monotonic() - started)
            raise NeedsAnswer(said(error)) from error
        record_failure(drive, row, EffectStatus.FAILED, said(error), time.monotonic() - started)
        raise
    return Call(row, outcome_of(response, time.monotonic() - started), result_of(response))


def _refuse_late_start(tool: Tool, began: float) -> None:
    """A worker that was held up for a lease's length must not send now what its successor may have sent."""
    if tool.effect_class == EffectClass.EXTERNAL and time.monotonic() - began > settings.GOALSITE_LEASE_SECONDS:
        raise ToolError(f"The worker was held up before it used {tool.name}; nothing was sent.", retryable=True)


def _refuse_dropped(tool: Tool, row: ToolCall) -> None:
    """A step that a person has given up since it was looked at must send nothing; who gives it up now sees the row."""
    if tool.effect_class != EffectClass.EXTERNAL:
        return
    with pooled():
        dropped = Subgoal.objects.filter(pk=row.subgoal_id, finished_at__isnull=False).exists()
    if dropped:
        raise ToolError(f"The step was dropped before it used {tool.name}; nothing was sent.")


def _may_have_happened(tool: Tool, error: Exception) -> bool:
    """Whether an external call may be real although it failed here: only a plain ToolError says that it is not."""
    if tool.effect_class != EffectClass.EXTERNAL:
        return False
    return not isinstance(error, ToolError) or isinstance(error, OutcomeUnknown | ToolTimeout)


class _Recorded(Call):
    """A call whose outcome was recorded with the very thing it did; only what follows from it is left to be written."""

    unrecorded = False

    def record(self, writer: Writer) -> None:
        self.outcome = None


def _do_here(drive: Drive, prepared: Prepared, intent: Intent) -> Call:
    """Run a transactional tool: it only writes our database, in the same transaction as its outcome."""
    tool, row, started = prepared.tool, intent.row, time.monotonic()
    context = context_of(drive, row, intent.seconds)
    try:
        with drive.writing() as writer:
            result = tool.run(tool.parse(prepared.arguments), context)
            outcome = outcome_of(clean(response_of(result)), time.monotonic() - started)
            journal.record(writer, row, outcome)
    except StaleGoal:
        raise
    except Exception as error:
        if not is_outage(error):  # then it was undone with its transaction, or recorded with it: the journal knows
            record_failure(drive, row, EffectStatus.FAILED, said(error), time.monotonic() - started)
        raise
    return _Recorded(row, Outcome(EffectStatus.UNKNOWN), result)
