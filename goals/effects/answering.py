"""The tool calls of one reply: what is done with each, what the model is told of it, and where its result is kept.

They are carried out one after the other, in the order of the reply: what runs side by side in a goal are its subgoals,
up to `parallel`, and a later call may refer to what an earlier one has named.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from artifacts.clean import clean_text
from artifacts.exceptions import ArtifactError
from artifacts.kinds import ArtifactType
from artifacts.models import Artifact
from artifacts.references import NAME
from goals import policy
from goals.connections import pooled
from goals.digests import digest
from goals.driver import Drive
from goals.effects.calls import Call, recording
from goals.effects.talk import Kept, Told
from goals.effects.tool_calls.kept import keep
from goals.effects.tool_calls.prepared import Prepared, prepare
from goals.effects.tool_calls.repeats import note
from goals.effects.tool_calls.running import run
from goals.llm.exchange import ToolCallRequest, tool_message
from goals.models import Subgoal, ToolCall
from goals.states import EffectStatus, QuestionKind
from goals.tools import registry
from goals.tools.base import OutputSpec, Tool, ToolResult
from goals.tools.errors import ToolError
from goals.window import head

LONGEST_ERROR = 2_000
LONGEST_SUMMARY = 1_000
MISTAKES_TOLD = 2  # how many turns in a row the model is told of the same mistake
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


class SameMistake(Exception):
    """The model was told of a mistake twice and made it again."""


@dataclass(frozen=True)
class Answer:
    """What the model is told of one call; a `mistake` has a digest that is the same when it is made again."""

    text: str
    kept: Kept | None = None
    untrusted: bool = False
    mistake: str = ""


def answer_all(
    drive: Drive,
    subgoal: Subgoal,
    call: Call,
    turn: int,
    before: Told,
    longest: int,
    *,
    again: bool,
) -> Told:
    """Carry out the tool calls of a reply; each result is told in at most `longest` bytes.

    `again` says that the reply was answered from the journal. Raises SameMistake.
    """
    requests = call.completion.tool_calls
    answers: list[Answer] = []
    untrusted = before.untrusted
    for index, request in enumerate(requests):
        answer = _failed_before(call, request, index) if again else None
        if answer is None:
            answer = _answer(drive, subgoal, call, request, [turn, index], untrusted, longest)
        untrusted = untrusted or answer.untrusted
        answers.append(answer)
    mistakes = {answer.mistake: before.mistakes.get(answer.mistake, 0) + 1 for answer in answers if answer.mistake}
    for request, answer in zip(requests, answers, strict=True):
        if mistakes.get(answer.mistake, 0) > MISTAKES_TOLD:
            raise SameMistake(
                f"the same mistake {mistakes[answer.mistake]} times in a row: {request.name}: {answer.text}"
            )
    messages = [tool_message(request, answer.text) for request, answer in zip(requests, answers, strict=True)]
    return Told(messages, [answer.kept for answer in answers], untrusted, mistakes)


def _answer(
    drive: Drive,
    subgoal: Subgoal,
    call: Call,
    request: ToolCallRequest,
    mark: list[int],
    untrusted: bool,
    longest: int,
) -> Answer:
    """Carry out one tool call. A mistake is told to the model."""
    try:
        prepared, outputs = _understood(drive, subgoal, request)
    except (ToolError, ArtifactError) as error:
        return _failed(request, str(error))
    if prepared is None:
        return Answer("error: a required argument is missing and nobody knows it yet")
    prepared = replace(prepared, untrusted=prepared.untrusted or untrusted)
    try:
        done = run(drive, subgoal, prepared, mark=mark, model_call=call.row)
    except (ToolError, ArtifactError) as error:
        return _failed(request, str(error), request.arguments)
    return _told(drive, subgoal, prepared, done, outputs, longest)


def _failed(request: ToolCallRequest, error: str, arguments: str = "") -> Answer:
    """A call that could not be understood is the same mistake whatever its arguments; one that failed is not."""
    text = f"error: {head(clean_text(error), LONGEST_ERROR)}"
    return Answer(text, mistake=digest("mistake", request.name, text, arguments))


def _failed_before(call: Call, request: ToolCallRequest, index: int) -> Answer | None:
    """Return what the model was told of a call that failed: it is not made again when the loop is rebuilt.

    A lost call of which a person said that it did not happen is made: the model has not heard of that.
    """
    with pooled():
        last = ToolCall.objects.filter(model_call=call.row, call_id=str(index)).order_by("-created_at").first()
        if last is None or last.status != EffectStatus.FAILED:
            return None
        if last.questions.filter(kind=QuestionKind.RECOVERY).exists():
            return None
    return _failed(request, last.error, request.arguments)


def _understood(drive: Drive, subgoal: Subgoal, request: ToolCallRequest) -> tuple[Prepared | None, list[OutputSpec]]:
    tool = registry.get(request.name)
    if not policy.may_call(tool, subgoal, drive.goal):
        raise ToolError(f"{request.name} is not offered for this task: nothing was done")
    try:
        arguments = json.loads(request.arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise ToolError(f"the arguments are not JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise ToolError("the arguments must be a JSON object")
    outputs = _outputs(arguments.pop("outputs", None) or [])
    with pooled():
        return _prepared(drive, subgoal, tool, arguments), outputs


def _prepared(drive: Drive, subgoal: Subgoal, tool: Tool, arguments: dict[str, Any]) -> Prepared | None:
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


def _told(
    drive: Drive, subgoal: Subgoal, prepared: Prepared, done: Call, outputs: list[OutputSpec], longest: int
) -> Answer:
    """Keep what a call gave and say it: all of it, or its head and where all of it is kept."""
    result: ToolResult = done.value
    text = json.dumps(result.value, ensure_ascii=False)
    shown = head(text, longest)
    made = OutputSpec(
        f"{prepared.tool.function_name}-{done.row.pk.hex[-12:]}", "data", result.summary, "All that a call gave"
    )
    whole = next((output for output in outputs if _is_whole(result, output)), None)
    if whole is None and shown != text:
        whole = made
        outputs = [*outputs, made]
    versions = _keep(drive, subgoal, prepared, done, outputs)
    untrusted = result.untrusted or prepared.untrusted
    if whole is not None:
        kept = Kept(f"@{whole.name}:{versions[whole.name]}")
    else:
        sources = tuple(str(source.pk) for source in prepared.sources)
        kept = Kept(f"@{made.name}", str(done.row.pk), untrusted, sources)
    if shown != text:
        shown += f"\n… cut: {len(text)} characters in all; all of it is kept as {kept.reference}"
    stored = f"stored as {', '.join(f'@{output.name}' for output in outputs)}" if outputs else ""
    lines = [note(done, subgoal), head(result.summary, LONGEST_SUMMARY), shown, stored]
    return Answer("\n".join(line for line in lines if line), kept, untrusted)


def _is_whole(result: ToolResult, output: OutputSpec) -> bool:
    """Whether this output holds all that the call gave, not a part of the same name."""
    return not (isinstance(result.value, dict) and output.name in result.value)


def _keep(
    drive: Drive, subgoal: Subgoal, prepared: Prepared, done: Call, outputs: Sequence[OutputSpec]
) -> dict[str, int]:
    """Write the outputs of a call that are not written yet; return the version of each.

    A call that the journal answered has its outputs as a rule; one that an earlier attempt made may have been given
    other names there.
    """
    versions: dict[str, int] = {}
    if outputs and not done.unrecorded:
        with pooled():
            found = Artifact.objects.filter(
                context_id=drive.goal.artifact_context_id,
                name__in=[output.name for output in outputs],
                metadata__call=str(done.row.pk),
            )
            versions = dict(found.order_by("version").values_list("name", "version"))
    missing = [output for output in outputs if output.name not in versions]
    if missing or done.outcome is not None:
        with recording(drive, done) as writer:
            written = keep(drive, writer, subgoal, prepared, done.value, missing, call=done.row)
        versions |= {artifact.name: artifact.version for artifact in written}
    return versions
