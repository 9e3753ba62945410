"""The acting loop of an `execute` subgoal: the model calls tools until it says done, stuck or unachievable.

The loop is rebuilt from the journal each time: every turn stores only what it adds, so a crash in the middle costs no
recorded reply and repeats no recorded tool call.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings

from artifacts.exceptions import ArtifactError
from artifacts.kinds import ArtifactType
from artifacts.references import NAME
from goals import policy
from goals.connections import pooled
from goals.decisions import Failure, FailureKind
from goals.driver import Drive
from goals.effects import briefing, family
from goals.effects.calls import Call, call_model, recording
from goals.effects.making import make_artifact, note_evidence
from goals.effects.tool_use import Prepared, keep, prepare, run
from goals.llm import port, prompts
from goals.llm.errors import ModelError
from goals.llm.exchange import ToolCallRequest, assistant_message, tool_message
from goals.models import Subgoal, ToolCall
from goals.states import EffectStatus, QuestionKind
from goals.tools import registry
from goals.tools.base import OutputSpec, ToolResult
from goals.tools.errors import ToolError
from goals.transitions import Writer

LONGEST_TOOL_MESSAGE = 12_000
OUTPUTS_SCHEMA = {
    "type": "array",
    "description": "Names for the outputs of this call; each becomes an artifact that @name refers to.",
    "items": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "type": {"type": "string", "enum": [str(kind) for kind in ArtifactType]},
            "description": {"type": "string"},
            "purpose": {"type": "string"},
        },
        "required": ["name", "type", "description"],
    },
}


def act(drive: Drive, subgoal_id: Any) -> None:
    """Perform an `execute` subgoal (or a composite one that the atomizer said to execute)."""
    subgoal = drive.subgoal(subgoal_id)
    tools = _tools_for(drive, subgoal)
    history: list[Mapping[str, Any]] = []
    added = _opening(drive, subgoal)
    repairs, untrusted = 0, False
    for turn in range(settings.GOALSITE_MAX_TURNS):
        call = call_model(drive, "act", subgoal, added, mark=turn, tools=tools, history=history, scope_by_content=False)
        completion = call.completion
        history += [*call.row.request["messages"], assistant_message(completion)]
        if completion.value is not None:
            _finish(drive, subgoal, call, untrusted)
            return
        again = not call.unrecorded
        with recording(drive, call):
            pass
        if completion.tool_calls:
            added = []
            for index, request in enumerate(completion.tool_calls):
                message = _failed_before(call, request, index) if again else None
                if message is None:
                    message, outside = _answer(drive, subgoal, call, request, [turn, index], untrusted)
                    untrusted = untrusted or outside
                added.append(message)
            continue
        repairs += 1
        if repairs > port.MAX_REPAIRS:
            raise ModelError(f"act: the reply could not be read: {completion.problem}", retryable=True)
        added = port.repair([], completion)[1:]
    message = f"not done after {settings.GOALSITE_MAX_TURNS} turns"
    drive.fail(subgoal_id, Failure(FailureKind.NOT_DONE, message))


def _opening(drive: Drive, subgoal: Subgoal) -> list[dict[str, Any]]:
    goal, checkpoint = drive.goal, drive.picture.active
    with pooled():
        artifacts = briefing.artifacts_of(goal)
        budget = briefing.budget_of(goal) if family.is_fallback(drive.picture, subgoal) else {}
    return prompts.render(
        "act",
        objective=goal.objective,
        context="\n\n".join(text for text in (goal.context, goal.constraints) if text),
        summary=goal.summary,
        steering=briefing.steering_of(goal),
        artifacts=artifacts,
        checkpoint=briefing.checkpoint_of(checkpoint) if checkpoint else {},
        task={
            "gloss": subgoal.gloss,
            "instructions": subgoal.args.get("instructions", ""),
            "operation": subgoal.operation,
            "outputs": subgoal.outputs,
            "evidence_key": subgoal.evidence_key,
        },
        previous_failure=subgoal.previous_failure,
        results=family.needed_by(drive.picture, subgoal),
        budget=budget,
    )


def _tools_for(drive: Drive, subgoal: Subgoal) -> list[dict[str, Any]]:
    """Return the schemas of the tools that this operation may use, each with room to name its outputs."""
    wanted = set(subgoal.tools)
    offered = []
    for tool in registry.all_tools():
        if wanted and tool.name not in wanted:
            continue
        if policy.permission(tool, drive.goal, subgoal.operation) is policy.Permission.DENY:
            continue
        schema = registry.schema(tool)
        function = schema["function"]
        parameters = {**function["parameters"]}
        parameters["properties"] = {**parameters.get("properties", {}), "outputs": OUTPUTS_SCHEMA}
        offered.append({"type": "function", "function": {**function, "parameters": parameters}})
    return offered


def _answer(
    drive: Drive, subgoal: Subgoal, call: Call, request: ToolCallRequest, mark: list[int], untrusted: bool
) -> tuple[dict[str, Any], bool]:
    """Carry out one tool call of a reply; returns the message that answers it, and whether it came from outside.

    A mistake is told to the model. `untrusted` says that the prompt holds content from outside already.
    """
    try:
        prepared, outputs = _understood(drive, subgoal, request)
        if prepared is None:
            return tool_message(request, "error: a required argument is missing and nobody knows it yet"), False
        prepared = replace(prepared, untrusted=prepared.untrusted or untrusted)
        done = run(drive, subgoal, prepared, mark=mark, model_call=call.row)
    except (ToolError, ArtifactError) as error:
        return tool_message(request, f"error: {error}"), False
    result: ToolResult = done.value
    if done.outcome is not None:
        with recording(drive, done) as writer:
            keep(drive, writer, subgoal, prepared, result, outputs)
    return tool_message(request, _told(result, outputs)), result.untrusted or prepared.untrusted


def _failed_before(call: Call, request: ToolCallRequest, index: int) -> dict[str, Any] | None:
    """Return what the model was told of a call that failed: it is not made again when the loop is rebuilt.

    A lost call of which a person said that it did not happen is made: the model has not heard of that.
    """
    with pooled():
        last = ToolCall.objects.filter(model_call=call.row, call_id=str(index)).order_by("-created_at").first()
        if last is None or last.status != EffectStatus.FAILED:
            return None
        if last.questions.filter(kind=QuestionKind.RECOVERY).exists():
            return None
    return tool_message(request, f"error: {last.error}")


def _understood(drive: Drive, subgoal: Subgoal, request: ToolCallRequest) -> tuple[Prepared | None, list[OutputSpec]]:
    tool = registry.get(request.name)
    offered = subgoal.tools and request.name not in subgoal.tools
    denied = policy.permission(tool, drive.goal, subgoal.operation) is policy.Permission.DENY
    if offered or denied:
        raise ToolError(f"{request.name} may not be used here")
    try:
        arguments = json.loads(request.arguments or "{}")
    except ValueError as error:
        raise ToolError(f"the arguments are not JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise ToolError("the arguments must be a JSON object")
    outputs = _outputs(arguments.pop("outputs", None) or [])
    with pooled():
        return _prepared(drive, subgoal, tool, arguments), outputs


def _prepared(drive: Drive, subgoal: Subgoal, tool: Any, arguments: dict[str, Any]) -> Prepared | None:
    missing = [name for name in tool.required() if name not in arguments]
    if missing:
        raise ToolError(f"missing arguments: {', '.join(missing)}")
    return prepare(drive, subgoal, tool, arguments)


def _outputs(given: Any) -> list[OutputSpec]:
    outputs = []
    for item in given if isinstance(given, list) else []:
        if not isinstance(item, dict) or not NAME.fullmatch(str(item.get("name", ""))):
            raise ToolError("outputs: each needs a name of letters, digits, _ or -")
        if item.get("type") not in {str(kind) for kind in ArtifactType}:
            raise ToolError(f"outputs: type must be one of {', '.join(str(kind) for kind in ArtifactType)}")
        description = str(item.get("description") or item["name"])
        outputs.append(OutputSpec(item["name"], item["type"], description[:2000], str(item.get("purpose", ""))[:2000]))
    return outputs


def _told(result: ToolResult, outputs: list[OutputSpec]) -> str:
    text = json.dumps(result.value, ensure_ascii=False)
    stored = ", ".join(f"@{output.name}" for output in outputs)
    kept = f"\nstored as {stored}" if stored else ""
    if len(text) > LONGEST_TOOL_MESSAGE:
        text = f"{text[:LONGEST_TOOL_MESSAGE]}\n… cut: {len(text)} characters in all{kept}"
    return f"{result.summary}\n{text}{kept}"


def _finish(drive: Drive, subgoal: Subgoal, call: Call, untrusted: bool) -> None:
    said = call.value = call.completion.value
    with recording(drive, call) as writer:
        if said.status == "done":
            write_outputs(drive, writer, subgoal, said.outputs, said.result, untrusted=untrusted)
            writer.facts(subgoal, worked=True, result={"text": said.result})
        else:
            kind = FailureKind.UNACHIEVABLE if said.status == "unachievable" else FailureKind.NOT_DONE
            writer.facts(subgoal, failure=Failure(kind, said.result or said.status), result={"text": said.result})


def write_outputs(
    drive: Drive, writer: Writer, subgoal: Subgoal, outputs: Any, result: str, *, untrusted: bool
) -> None:
    """Keep what the model says it made; the evidence of the step is the result itself unless an output has its key."""
    trust = "untrusted" if untrusted else "trusted"
    metadata = {"subgoal": str(subgoal.pk), "success": True}
    names = []
    for output in outputs:
        make_artifact(
            writer,
            output.name,
            type=output.type,
            value=output.value,
            description=output.description,
            purpose=output.purpose,
            metadata=metadata,
            trust=trust,
        )
        names.append(output.name)
    key = subgoal.evidence_key
    if key and key not in names and result:
        make_artifact(
            writer, key, type="text", value=result, description=subgoal.gloss[:500], metadata=metadata, trust=trust
        )
        names.append(key)
    note_evidence(drive, *names)
