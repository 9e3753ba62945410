"""Whether a tool call may be made: the policy says so, or a person said yes to exactly this."""

from typing import Any

from goals import policy
from goals.connections import pooled
from goals.driver import Drive
from goals.effects.making import ask_person, wait_for_person
from goals.effects.tool_calls.prepared import Prepared
from goals.exceptions import NeedsAnswer
from goals.models import Goal, Subgoal, ToolCall
from goals.states import Permission, QuestionKind
from goals.tools.base import Tool
from goals.tools.errors import DeniedTool


def refuse_denied(tool: Tool, goal: Goal) -> None:
    """Raise DeniedTool where the policy keeps the goal from using the tool."""
    if policy.permission(tool, goal) is Permission.DENY:
        raise DeniedTool(tool.name)


def ask_approval(drive: Drive, subgoal: Subgoal, prepared: Prepared, repeats: ToolCall | None = None) -> None:
    """Go on where the call may be made, else ask and raise NeedsAnswer.

    `repeats` is the same call that was made before for what is completed: to make it again needs a word of its own,
    whatever the policy says.
    """
    tool, goal = prepared.tool, drive.goal
    wanted = policy.permission(tool, goal)
    if wanted is not Permission.ASK and not policy.asks_anyway(tool, prepared.untrusted) and repeats is None:
        return
    bound = policy.approval_digest(tool, prepared.arguments, goal, repeats)
    prompt = f"May I use {tool.name}?" if repeats is None else _again(repeats)
    with pooled():
        if policy.is_approved(subgoal, bound):
            return
        with drive.writing() as writer:
            ask_person(
                writer,
                QuestionKind.APPROVAL,
                prompt,
                subgoal=subgoal,
                digest=bound,
                details={
                    "tool": tool.name,
                    "input": prepared.arguments,
                    "risk": str(tool.risk),
                    "untrusted": prepared.untrusted,
                    **_before(repeats),
                },
            )
            wait_for_person(writer, subgoal)
    raise NeedsAnswer(f"{tool.name} needs an approval")


def _again(repeats: ToolCall) -> str:
    what = f"I have used {repeats.tool} with exactly this already, at {repeats.created_at:%Y-%m-%d %H:%M} UTC"
    step = f", for the step “{repeats.checkpoint.title[:200]}”" if repeats.checkpoint else ""
    return f"{what}{step}: {repeats.summary[:500] or 'its outcome is not known'} May I use it once more?"


def _before(repeats: ToolCall | None) -> dict[str, Any]:
    if repeats is None:
        return {}
    return {"before": {"call": str(repeats.pk), "at": repeats.created_at.isoformat(), "summary": repeats.summary[:500]}}
