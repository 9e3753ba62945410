"""The acting loop of an `execute` subgoal: the model calls tools until it says done, stuck or unachievable.

The loop is rebuilt from the journal each time: every turn stores only what it adds, so a crash in the middle costs no
recorded reply and repeats no recorded tool call.
"""

from dataclasses import replace
from typing import Any

from django.conf import settings

from goals import policy, results
from goals.connections import pooled
from goals.decisions import Failure, FailureKind
from goals.driver import Drive
from goals.effects import briefing, earlier, family
from goals.effects.answering import OUTPUTS_SCHEMA, SameMistake, answer_all
from goals.effects.calls import Call, recording
from goals.effects.outputs import write_outputs, write_result
from goals.effects.talk import Talk, Told
from goals.llm import port, prompts
from goals.llm.errors import ModelError
from goals.llm.exchange import assistant_message
from goals.models import Subgoal
from goals.tools import registry
from goals.window import share

MOST_CALLS = 20  # tool calls of one reply


def act(drive: Drive, subgoal_id: Any) -> None:
    """Perform an `execute` subgoal (or a composite one that the atomizer said to execute)."""
    subgoal = drive.subgoal(subgoal_id)
    talk = Talk(drive, subgoal, _tools_for(drive, subgoal))
    told = talk.told_before(0) or _opening(drive, subgoal)
    repairs = 0
    for turn in range(settings.GOALSITE_MAX_TURNS):
        call = talk.tell(turn, told)
        completion = _readable(call.completion)
        if completion.value is not None:
            _finish(drive, subgoal, call, told.untrusted)
            return
        again = not call.unrecorded
        with recording(drive, call):
            pass
        known = talk.told_before(turn + 1) if again else None
        if completion.tool_calls:
            talk.hear(assistant_message(completion))
            longest = share(talk.room, len(completion.tool_calls))
            try:
                told = known or answer_all(drive, subgoal, call, turn, told, longest, again=again)
            except SameMistake as mistake:
                drive.fail(subgoal_id, Failure(FailureKind.NOT_DONE, str(mistake)))
                return
            continue
        repairs += 1
        if repairs > port.MAX_REPAIRS:
            raise ModelError(f"act: the reply could not be read: {completion.problem}", retryable=False)
        said, asked = port.repair([], completion)
        talk.hear(said)
        told = known or Told([asked], [None], told.untrusted, told.mistakes)
    message = f"not done after {settings.GOALSITE_MAX_TURNS} turns"
    drive.fail(subgoal_id, Failure(FailureKind.NOT_DONE, message))


def _readable(completion: Any) -> Any:
    """A reply with more tool calls than anybody means is as good as one that cannot be read."""
    asked = len(completion.tool_calls)
    if asked <= MOST_CALLS:
        return completion
    problem = f"it makes {asked} tool calls at once, and at most {MOST_CALLS} are carried out"
    return replace(completion, tool_calls=(), problem=problem)


def _opening(drive: Drive, subgoal: Subgoal) -> Told:
    """Return what the model is told first; what stands in it may have come from outside."""
    goal, checkpoint = drive.goal, drive.picture.active
    with pooled():
        artifacts = briefing.artifacts_of(goal)
        done = earlier.work_of(checkpoint, subgoal)
        untrusted = earlier.is_untrusted(done) or briefing.carries_outside(goal)
        budget = briefing.budget_of(goal) if family.is_fallback(drive.picture, subgoal) else {}
    messages = prompts.render(
        "act",
        policy.operation_of(subgoal),
        objective=goal.objective,
        context="\n\n".join(text for text in (goal.context, goal.constraints) if text),
        summary=goal.summary,
        steering=briefing.steering_of(goal),
        artifacts=artifacts,
        checkpoint=briefing.checkpoint_of(checkpoint) if checkpoint else {},
        task={
            "gloss": subgoal.gloss,
            "instructions": subgoal.args.get("instructions", ""),
            "operation": policy.operation_of(subgoal),
            "outputs": subgoal.outputs,
            "evidence_key": subgoal.evidence_key,
        },
        previous_failure=subgoal.previous_failure,
        earlier=done,
        results=family.needed_by(drive.picture, subgoal),
        budget=budget,
    )
    return Told(messages, [None] * len(messages), untrusted)


def _tools_for(drive: Drive, subgoal: Subgoal) -> list[dict[str, Any]]:
    """Return the schemas of the tools that this operation may use, each with room to name its outputs."""
    offered = []
    for tool in registry.all_tools():
        if not policy.may_call(tool, subgoal, drive.goal):
            continue
        schema = registry.schema(tool)
        function = schema["function"]
        parameters = {**function["parameters"]}
        parameters["properties"] = {**parameters.get("properties", {}), "outputs": OUTPUTS_SCHEMA}
        offered.append({"type": "function", "function": {**function, "parameters": parameters}})
    return offered


def _finish(drive: Drive, subgoal: Subgoal, call: Call, untrusted: bool) -> None:
    said = call.value = call.completion.value
    with recording(drive, call) as writer:
        if said.status == "done":
            result = write_outputs(drive, writer, subgoal, said.outputs, said.result, untrusted=untrusted)
            writer.facts(subgoal, worked=True, result=result)
        else:
            kind = FailureKind.UNACHIEVABLE if said.status == "unachievable" else FailureKind.NOT_DONE
            result = write_result(writer, subgoal, said.result, untrusted=untrusted)
            writer.facts(subgoal, failure=Failure(kind, results.told(result) or said.status), result=result)
