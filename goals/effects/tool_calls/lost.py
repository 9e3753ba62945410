"""An external call whose outcome was lost: its probe tells, else a person; it is never just made again."""

from artifacts.clean import clean
from goals.connections import pooled, released
from goals.driver import Drive
from goals.effects import journal
from goals.effects.calls import Call, target_facts
from goals.effects.making import ask_person, wait_for_person
from goals.effects.tool_calls.outcomes import outcome_of, record_failure, response_of
from goals.effects.tool_calls.prepared import TOOL_SECONDS, Prepared, context_of
from goals.exceptions import NeedsAnswer
from goals.models import Subgoal, ToolCall
from goals.states import EffectStatus, QuestionKind
from goals.tools.base import ProbeResult, ToolResult
from goals.tools.errors import ToolError


def find_out(drive: Drive, subgoal: Subgoal, prepared: Prepared, row: ToolCall) -> Call | None:
    """Settle a lost call by its probe, else by a person; None when it did not happen and may be made now.

    Raises NeedsAnswer, or ToolError (recorded) where this worker tried it itself: then the engine's retry is for it.
    """
    found = _probe(drive, prepared, row)
    if found is None:
        _ask_what_happened(drive, subgoal, row)
        raise NeedsAnswer("only a person can say what became of the call")
    tried_by_us = row.epoch == drive.epoch
    with pooled():
        facts, _ = target_facts(drive, subgoal)
        journal.adopt(drive.goal, row, drive.epoch, **facts)
    if found.happened:
        result = found.result or ToolResult(None, "It had happened before the crash.")
        return Call(row, outcome_of(clean(response_of(result)), 0.0), result)
    if tried_by_us:  # not at once again: the engine's retries and their pauses are for this
        error = ToolError(f"{row.tool} gave no answer, and it did not happen.", retryable=True)
        record_failure(drive, row, EffectStatus.FAILED, str(error), 0.0)
        raise error
    return None


def _probe(drive: Drive, prepared: Prepared, row: ToolCall) -> ProbeResult | None:
    """Ask the tool whether it happened; a probe that fails cannot tell."""
    tool = prepared.tool
    context = context_of(drive, row, float(TOOL_SECONDS))
    try:
        with released():
            return tool.probe(tool.parse(prepared.arguments), context)
    except ToolError:
        return None


def _ask_what_happened(drive: Drive, subgoal: Subgoal, row: ToolCall) -> None:
    prompt = (
        f"The site was interrupted while it used {row.tool}; it may have happened or not. Please look and say: "
        "happened, did_not_happen, or give_up."
    )
    with drive.writing() as writer:
        if row.status == EffectStatus.INTENDED:
            rows = ToolCall.objects.filter(pk=row.pk, status=EffectStatus.INTENDED)
            if rows.update(status=EffectStatus.UNKNOWN, epoch=drive.epoch):
                writer.event("tool.unknown", {"call": str(row.pk), "tool": row.tool, "subgoal": str(subgoal.pk)})
        ask_person(
            writer,
            QuestionKind.RECOVERY,
            prompt,
            subgoal=subgoal,
            tool_call=row,
            suggestions=["happened", "did_not_happen", "give_up"],
            details={"tool": row.tool, "input": row.request.get("input")},
        )
        wait_for_person(writer, subgoal)
