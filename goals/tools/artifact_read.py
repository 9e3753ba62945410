"""`read_artifact`: the value of an artifact, or a stretch of it, for a model that must see it."""

import json
from typing import Any

from pydantic import Field

from goals.tools.base import OutputSpec, Reach, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import ToolInputError

MOST = 50_000


class ReadArtifactInput(ToolInput):
    artifact: Any = Field(description='"@name" of the artifact, or "@name.path" for a part of it')
    offset: int = Field(0, ge=0, description="Characters to skip, where it is long")
    limit: int = Field(8_000, ge=1, le=MOST, description="Characters to give at most")


class ReadArtifact(Tool):
    name = "read_artifact"
    description = (
        "Read an artifact's value, as text or as JSON text, from `offset` on. Gives {text, characters, next_offset}; "
        "next_offset is null at the end."
    )
    Input = ReadArtifactInput
    outputs = (OutputSpec("reading", "data", "The stretch that was read"),)
    far_side = False
    reach = Reach.NONE
    always_offered = True

    def run(self, input: ReadArtifactInput, context: ToolContext) -> ToolResult:
        """The reference was resolved before the call: what comes in is the value."""
        value = input.artifact
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
        if input.offset > len(text):
            raise ToolInputError(f"read_artifact: offset {input.offset} is beyond its {len(text)} characters.")
        part = text[input.offset : input.offset + input.limit]
        end = input.offset + len(part)
        value = {"text": part, "characters": len(text), "next_offset": end if end < len(text) else None}
        return ToolResult(value, f"{len(part)} of {len(text)} characters.")
