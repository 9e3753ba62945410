"""Whether a tool call may be made: the policy says so, or a person said yes to exactly this."""

from goals import policy
from goals.connections import pooled
from goals.driver import Drive
from goals.effects.making import ask_person, wait_for_person
from goals.effects.tool_calls.prepared import Prepared
from goals.exceptions import NeedsAnswer
from goals.models import Subgoal
from goals.states import QuestionKind, Risk


def ask_approval(drive: Drive, subgoal: Subgoal, prepared: Prepared) -> None:
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
