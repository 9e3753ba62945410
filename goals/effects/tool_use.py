"""Using a tool: a subgoal that is done when its tool has answered."""

from typing import Any

from goals.connections import pooled
from goals.driver import Drive
from goals.effects.calls import recording
from goals.effects.making import labelled, say
from goals.effects.tool_calls.kept import keep
from goals.effects.tool_calls.prepared import prepare
from goals.effects.tool_calls.repeats import note
from goals.effects.tool_calls.running import run
from goals.models import Subgoal
from goals.tools import registry
from goals.tools.base import OutputSpec, Tool, ToolResult


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
        key = subgoal.evidence_key or tool.function_name
        # The evidence of a step is all that its tool gave, even where that has a part of the same name.
        keep(drive, writer, subgoal, prepared, result, _outputs(tool, subgoal, key), call=call.row, whole=True)
        before = note(call, subgoal)
        if before:
            say(writer, f"{tool.name}: {before} {result.summary}")
        told = {"text": f"{before} {result.summary}".strip(), "evidence": key}
        writer.facts(subgoal, worked=True, result=labelled(told, result.untrusted or prepared.untrusted))


def _outputs(tool: Tool, subgoal: Subgoal, key: str) -> list[OutputSpec]:
    """One output, under the key that the step declared; its type is the tool's."""
    declared = tool.outputs[0] if tool.outputs else OutputSpec(tool.function_name, "data", tool.description)
    return [OutputSpec(key, declared.type, declared.description, subgoal.gloss[:500])]
