"""Using a tool: arguments from the declared ones, then references, then evidence; then one effect of its class."""

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from django.conf import settings

from artifacts.clean import clean
from artifacts.models import Artifact
from artifacts.resolving import value_of
from artifacts.services import latest, resolve_references
from goals import policy
from goals.connections import pooled, released
from goals.decisions import Move
from goals.digests import digest
from goals.driver import Drive
from goals.effects import breakers, journal
from goals.effects.breakers import Pass
from goals.effects.calls import Call, recording, target_facts
from goals.effects.journal import Intent, Outcome, Standing
from goals.effects.making import ask_person, labelled, make_artifact, note_evidence
from goals.exceptions import NeedsAnswer, StaleGoal
from goals.models import Subgoal, ToolCall
from goals.outages import is_outage
from goals.states import BreakerKind, EffectClass, EffectStatus, Kind, QuestionKind, Resource, Risk, SubgoalStatus
from goals.tools import registry
from goals.tools.base import OutputSpec, ProbeResult, Tool, ToolContext, ToolResult
from goals.tools.errors import OutcomeUnknown, ToolError, ToolTimeout
from goals.tools.workspace import Workspace
from goals.transitions import Writer

TOOL_SECONDS = 120


@dataclass(frozen=True)
class Prepared:
    """A tool with its typed input and the artifacts that the input was made of."""

    tool: Tool
    arguments: dict[str, Any]
    sources: tuple[Artifact, ...]
    untrusted: bool


def use_tool(drive: Drive, subgoal_id: Any) -> None:
    """Perform a `use_tool` subgoal: it is done when its tool has answered under the evidence key of its step."""
    subgoal = drive.subgoal(subgoal_id)
    tool = registry.get(subgoal.args.get("tool", ""))
    with pooled():
        prepared = prepare(drive, subgoal, tool, subgoal.args.get("input", {}))
    if prepared is None:
        return
    call = run(drive, subgoal, prepared, mark="use")
    result: ToolResult = call.value
    with recording(drive, call) as writer:
        key = subgoal.evidence_key or tool.name
        # The evidence of a step is all that its tool gave, even where that has a part of the same name.
        keep(drive, writer, subgoal, prepared, result, _outputs(tool, subgoal, key), call=call.row, whole=True)
        told = {"text": result.summary, "evidence": key}
        writer.facts(subgoal, worked=True, result=labelled(told, result.untrusted or prepared.untrusted))


def _outputs(tool: Tool, subgoal: Subgoal, key: str) -> list[OutputSpec]:
    """One output, under the key that the step declared; its type is the tool's."""
    declared = tool.outputs[0] if tool.outputs else OutputSpec(tool.name, "data", tool.description)
    return [OutputSpec(key, declared.type, declared.description, subgoal.gloss[:500])]


def prepare(drive: Drive, subgoal: Subgoal, tool: Tool, given: Mapping[str, Any]) -> Prepared | None:
    """Resolve references and fill what is missing from evidence; a required field nobody gives becomes a question.

    Returns None when a person was asked. Raises ToolInputError, or an ArtifactError for an unknown reference.
    """
    context = drive.goal.artifact_context_id
    resolved = resolve_references(context, dict(given))
    arguments, sources = dict(resolved.value), list(resolved.sources)
    missing = [name for name in tool.required() if name not in arguments]
    if missing:
        known = latest(context, missing)
        for name, artifact in known.items():
            arguments[name] = value_of(artifact)
            sources.append(artifact)
        absent = next((name for name in missing if name not in known), None)
        if absent is not None:
            _ask_for(drive, subgoal, tool, absent)
            return None
    tool.parse(arguments)
    # Arguments that were planned by a model that had seen content from outside may be that content's.
    untrusted = any(source.trust == "untrusted" for source in sources) or bool(subgoal.provenance.get("untrusted"))
    return Prepared(tool, clean(arguments), tuple(sources), untrusted)


def _ask_for(drive: Drive, subgoal: Subgoal, tool: Tool, name: str) -> None:
    description = tool.Input.model_fields[name].description or f"{tool.name} needs it"
    with drive.writing() as writer:
        prompt = f"What is the {name.replace('_', ' ')}? ({description})"
        ask_person(writer, QuestionKind.INFORMATION, prompt, subgoal=subgoal, key=name)
        wait_for_person(writer, subgoal)


def wait_for_person(writer: Writer, subgoal: Subgoal) -> None:
    """Let a subgoal wait for the answer to the question that was just asked, until it is time to remind of it."""
    facts = {"asked": True, "wake_at": writer.now + timedelta(seconds=settings.GOALSITE_REMIND_AFTER)}
    writer.move(
        Move(
            Kind.SUBGOAL,
            subgoal.pk,
            SubgoalStatus.ACTIVE,
            SubgoalStatus.WAITING,
            facts,
            "subgoal.waiting",
            {"for": "question"},
        )
    )


def run(drive: Drive, subgoal: Subgoal, prepared: Prepared, *, mark: Any, model_call: Any = None) -> Call:
    """Carry out one tool call as an effect; returns the `Call` whose `value` is the ToolResult.

    Raises ToolError (recorded), or NeedsAnswer when a person must approve or say what became of a lost call.
    """
    tool = prepared.tool
    call_id = "" if model_call is None else str(mark[-1])
    _ask_approval(drive, subgoal, prepared)
    facts, scope = target_facts(drive, subgoal)
    if tool.effect_class == EffectClass.EXTERNAL:
        # Another attempt at the same checkpoint never repeats what was done outside: it is already real.
        scope, mark = ["checkpoint", subgoal.checkpoint_id], "external"
    row = ToolCall(
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
    amounts = {Resource.SECONDS: Decimal(TOOL_SECONDS)}
    began = time.monotonic()
    with pooled(), _permitted(tool, row) as given:
        intent = journal.intend(drive.goal, drive.epoch, row, amounts)
    if intent.is_answered:
        return Call(intent.row, None, _result_of(intent.row.response or {}))
    if intent.standing is Standing.LOST:
        return _find_out(drive, subgoal, prepared, intent, given)
    if tool.effect_class == EffectClass.TRANSACTIONAL:
        return _do_here(drive, prepared, intent)
    return _do(drive, prepared, intent, began, given)


def _permitted(tool: Tool, row: ToolCall) -> AbstractContextManager[Pass | None]:
    """Ask the breaker of a tool that reaches a far side, unless the journal has its result."""
    if not tool.far_side:
        return nullcontext()
    known = partial(journal.is_answered, ToolCall, row.scope)
    return breakers.permitted(BreakerKind.TOOL, tool.name, key=row.scope, seconds=float(TOOL_SECONDS), known=known)


class _Recorded(Call):
    """A call whose outcome was recorded with the very thing it did; only what follows from it is left to be written."""

    unrecorded = False

    def record(self, writer: Writer) -> None:
        self.outcome = None


def _do_here(drive: Drive, prepared: Prepared, intent: Intent) -> Call:
    """Run a transactional tool: it only writes our database, in the same transaction as its outcome."""
    tool, row, started = prepared.tool, intent.row, time.monotonic()
    context = _context(drive, row, intent.seconds)
    try:
        with drive.writing() as writer:
            result = tool.run(tool.parse(prepared.arguments), context)
            outcome = _outcome(clean(_response_of(result)), time.monotonic() - started)
            journal.record(writer, row, outcome)
    except StaleGoal:
        raise
    except Exception as error:
        if not is_outage(error):  # then it was undone with its transaction, or recorded with it: the journal knows
            _record_failure(drive, row, EffectStatus.FAILED, _said(error), time.monotonic() - started)
        raise
    return _Recorded(row, Outcome(EffectStatus.UNKNOWN), result)


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, ToolError) else f"{type(error).__name__}: {error}"


def _may_have_happened(tool: Tool, error: Exception) -> bool:
    """Whether an external call may be real although it failed here: only a plain ToolError says that it is not."""
    if tool.effect_class != EffectClass.EXTERNAL:
        return False
    return not isinstance(error, ToolError) or isinstance(error, OutcomeUnknown | ToolTimeout)


def _context(drive: Drive, row: ToolCall, seconds: float) -> ToolContext:
    workspace = Workspace(drive.goal.workspace, read_roots=tuple(settings.GOALSITE_READ_ROOTS))
    subgoal = str(row.subgoal_id) if row.subgoal_id else None
    return ToolContext(str(drive.goal.pk), subgoal, workspace, row.key, min(seconds, float(TOOL_SECONDS)))


def _do(drive: Drive, prepared: Prepared, intent: Intent, began: float, given: Pass | None) -> Call:
    tool, row, started = prepared.tool, intent.row, time.monotonic()
    context = _context(drive, row, intent.seconds)
    try:
        input = tool.parse(prepared.arguments)
        _refuse_late_start(tool, began)
        _refuse_dropped(tool, row)
    except ToolError as error:
        _record_failure(drive, row, EffectStatus.FAILED, str(error), 0.0)
        raise
    try:
        with released(), breakers.told(given, patient=intent.seconds >= TOOL_SECONDS) if given else nullcontext():
            result = tool.run(input, context)
        response = clean(_response_of(result))
    except Exception as error:
        if _may_have_happened(tool, error):
            _record_failure(drive, row, EffectStatus.UNKNOWN, _said(error), time.monotonic() - started)
            raise NeedsAnswer(_said(error)) from error
        _record_failure(drive, row, EffectStatus.FAILED, _said(error), time.monotonic() - started)
        raise
    return Call(row, _outcome(response, time.monotonic() - started), _result_of(response))


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


def _record_failure(drive: Drive, row: ToolCall, status: EffectStatus, error: str, seconds: float) -> None:
    used = {} if status == EffectStatus.UNKNOWN else _seconds(seconds)
    outcome = Outcome(status, error=error, used=used, seconds=seconds)
    with recording(drive, Call(row, outcome)):
        pass


def _seconds(seconds: float) -> dict[Resource, Decimal]:
    return {Resource.SECONDS: Decimal(str(round(seconds, 6)))}


def _response_of(result: ToolResult) -> dict[str, Any]:
    return {
        "value": result.value,
        "summary": result.summary,
        "untrusted": result.untrusted,
        "files": list(result.files),
    }


def _result_of(said: dict[str, Any]) -> ToolResult:
    """Return a result as the journal has it: what was cleaned is what goes on."""
    return ToolResult(
        said.get("value"), said.get("summary", ""), said.get("untrusted", False), tuple(said.get("files", ()))
    )


def _outcome(response: dict[str, Any], seconds: float) -> Outcome:
    columns: dict[str, Any] = {"summary": response["summary"][:5000]}
    if response["untrusted"]:  # else the row keeps the label of its arguments
        columns["untrusted"] = True
    return Outcome(EffectStatus.SUCCEEDED, response, used=_seconds(seconds), seconds=seconds, columns=columns)


def _find_out(drive: Drive, subgoal: Subgoal, prepared: Prepared, intent: Intent, given: Pass | None) -> Call:
    """Settle an external call whose outcome was lost: by its probe, else by a person (never by doing it again)."""
    row, began = intent.row, time.monotonic()
    found = _probe(drive, prepared, row)
    if found is None:
        _ask_what_happened(drive, subgoal, row)
        raise NeedsAnswer("only a person can say what became of the call")
    tried_by_us = row.epoch == drive.epoch
    with pooled():
        journal.adopt(drive.goal, row, drive.epoch)
    if found.happened:
        result = found.result or ToolResult(None, "It had happened before the crash.")
        return Call(row, _outcome(clean(_response_of(result)), 0.0), result)
    if tried_by_us:
        # Not at once again: the engine's retries and their pauses are for this.
        error = ToolError(f"{row.tool} gave no answer, and it did not happen.", retryable=True)
        _record_failure(drive, row, EffectStatus.FAILED, str(error), 0.0)
        raise error
    return _do(drive, prepared, Intent(row, Standing.AGAIN, intent.granted), began, given)


def _probe(drive: Drive, prepared: Prepared, row: ToolCall) -> ProbeResult | None:
    """Ask the tool whether it happened; a probe that fails cannot tell."""
    tool = prepared.tool
    context = _context(drive, row, float(TOOL_SECONDS))
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


def _ask_approval(drive: Drive, subgoal: Subgoal, prepared: Prepared) -> None:
    tool, goal = prepared.tool, drive.goal
    wanted = policy.permission(tool, goal)
    tainted = tool.risk == Risk.DANGEROUS and prepared.untrusted
    if wanted is policy.Permission.AUTO and not tainted:
        return
    bound = policy.approval_digest(tool, prepared.arguments, goal)
    with pooled():
        if policy.is_approved(subgoal, bound):
            return
        with drive.writing() as writer:
            ask_person(
                writer,
                QuestionKind.APPROVAL,
                f"May I use {tool.name}?",
                subgoal=subgoal,
                digest=bound,
                details={"tool": tool.name, "input": prepared.arguments, "risk": str(tool.risk)},
            )
            wait_for_person(writer, subgoal)
    raise NeedsAnswer(f"{tool.name} needs an approval")


def keep(
    drive: Drive,
    writer: Writer,
    subgoal: Subgoal,
    prepared: Prepared,
    result: ToolResult,
    outputs: list[OutputSpec],
    *,
    call: ToolCall,
    whole: bool = False,
) -> list[Artifact]:
    """Turn a tool's outputs into artifacts with their lineage."""
    trust = "untrusted" if result.untrusted or prepared.untrusted else "trusted"
    metadata = {
        "tool": prepared.tool.name,
        "success": True,
        "inputs": [f"{source.name}:{source.version}" for source in prepared.sources],
        "subgoal": str(subgoal.pk),
        "call": str(call.pk),
        "files": list(result.files),
    }
    made = [
        make_artifact(
            writer,
            output.name,
            type=output.type,
            value=result.value if whole else result.output(output.name),
            description=output.description or result.summary,
            purpose=output.purpose,
            metadata=metadata,
            trust=trust,
            derived_from=prepared.sources,
        )
        for output in outputs
    ]
    note_evidence(drive, *(output.name for output in outputs))
    return made
