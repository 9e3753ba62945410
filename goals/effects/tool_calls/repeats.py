"""A call outside that the goal has made already: it is real, and nobody makes it again unknowingly (DESIGN rule 2).

What was done for a checkpoint that is not completed is what its next attempt, or the plan that replaces it, wants: the
same call is answered by what it gave. What was done for a completed one is not made again without a person's word.
"""

from goals.driver import Drive
from goals.effects.calls import Call
from goals.effects.tool_calls.prepared import Prepared
from goals.models import Subgoal, ToolCall
from goals.states import CheckpointStatus, EffectClass, EffectStatus


def made_before(drive: Drive, prepared: Prepared) -> ToolCall | None:
    """Return the latest call of this tool with these arguments that has happened, or may have."""
    if prepared.tool.effect_class != EffectClass.EXTERNAL:
        return None
    same = ToolCall.objects.filter(
        goal=drive.goal,
        tool=prepared.tool.name,
        effect_class=EffectClass.EXTERNAL,
        request__input=prepared.arguments,
    )
    return same.exclude(status=EffectStatus.FAILED).select_related("checkpoint").order_by("-created_at").first()


def is_of_completed(before: ToolCall, subgoal: Subgoal) -> bool:
    """Whether it belongs to another checkpoint, which is completed: then this would be a second one."""
    checkpoint = before.checkpoint
    if checkpoint is None or checkpoint.pk == subgoal.checkpoint_id:
        return False
    return checkpoint.status == CheckpointStatus.COMPLETED


def note(call: Call, subgoal: Subgoal) -> str:
    """Return what is to be said of a call that was answered by what an earlier try gave; "" for any other."""
    row = call.row
    if row.effect_class != EffectClass.EXTERNAL or (row.subgoal_id, row.attempt) == (subgoal.pk, subgoal.attempts):
        return ""
    return f"done already, at {row.created_at:%Y-%m-%d %H:%M} UTC, and not done again; this is what it gave:"
