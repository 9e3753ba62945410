"""`save_memory`: notes that the goal keeps for itself in the workspace."""

from pydantic import Field

from goals.states import EffectClass
from goals.tools.base import OutputSpec, Reach, Tool, ToolContext, ToolInput, ToolResult

FILE = "MEMORY.md"


class SaveMemoryInput(ToolInput):
    note: str = Field(min_length=1, max_length=4000, description="What to remember, in a sentence or two")
    topic: str = Field("", max_length=100, description="A word or two to find it by")


class SaveMemory(Tool):
    name = "save_memory"
    description = f"Add a note to {FILE} in the workspace, for later checkpoints. Gives {{path, note, added}}."
    Input = SaveMemoryInput
    far_side = False
    outputs = (OutputSpec("memory_note", "data", "The note that was saved"),)
    effect_class = EffectClass.IDEMPOTENT
    reach = Reach.WRITE

    def run(self, input: SaveMemoryInput, context: ToolContext) -> ToolResult:
        """Append one line, marked with the idempotency key so that a repetition adds nothing."""
        mark = f"<!-- {context.idempotency_key} -->"
        note = " ".join(input.note.split()).replace("<!--", "&lt;!--")
        topic = " ".join(input.topic.split()).replace("<!--", "&lt;!--")
        line = f"- **{topic}**: {note} {mark}" if topic else f"- {note} {mark}"
        added = context.workspace.append_line(FILE, line, unless=mark)
        return ToolResult({"path": FILE, "note": note, "added": added}, f"Noted in {FILE}.", files=(FILE,))
