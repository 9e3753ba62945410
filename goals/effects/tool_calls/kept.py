"""What a tool call leaves: its outputs as artifacts with their lineage."""

from artifacts.models import Artifact
from goals.driver import Drive
from goals.effects.making import make_artifact, note_evidence
from goals.effects.tool_calls.prepared import Prepared
from goals.models import Subgoal, ToolCall
from goals.tools.base import OutputSpec, ToolResult
from goals.transitions import Writer


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
