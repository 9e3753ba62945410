"""Whether a tool may be used now: `auto`, `ask` or `deny`, by its risk and the goal (DESIGN section 8)."""

from enum import StrEnum

from goals.digests import digest
from goals.models import Goal, Question, Subgoal, ToolCall
from goals.states import Operation, QuestionKind, QuestionStatus, Risk
from goals.tools.base import Reach, Tool


class Permission(StrEnum):
    AUTO = "auto"
    ASK = "ask"
    DENY = "deny"


def permission(tool: Tool, goal: Goal, operation: str = "") -> Permission:
    """A dangerous tool asks unless the goal's owner approved all beforehand; an operation may deny a reach."""
    if operation == Operation.THINK and tool.reach != Reach.NONE:
        return Permission.DENY
    if operation == Operation.SEARCH and tool.reach == Reach.WRITE:
        return Permission.DENY
    if tool.risk == Risk.DANGEROUS and not goal.auto_approve:
        return Permission.ASK
    return Permission.AUTO


def operation_of(subgoal: Subgoal) -> str:
    """Return what kind of work an `execute` is; where its planner did not say, it may turn out to be any."""
    return subgoal.operation or Operation.WRITE


def may_call(tool: Tool, subgoal: Subgoal, goal: Goal) -> bool:
    """Whether the model that acts on a subgoal is offered the tool: the plan names it, or names none at all."""
    if subgoal.tools and tool.name not in subgoal.tools and not tool.always_offered:
        return False
    return permission(tool, goal, operation_of(subgoal)) is not Permission.DENY


def approval_digest(tool: Tool, arguments: object, goal: Goal, repeats: ToolCall | None = None) -> str:
    """An approval binds tool, arguments and the goal's revision, and which call it repeats; a change voids it."""
    again = [repeats.pk] if repeats is not None else []
    return digest("approval", tool.name, arguments, goal.revision, *again)


def is_approved(subgoal: Subgoal, digest: str) -> bool:
    """Whether a person has said yes to exactly this."""
    return Question.objects.filter(
        subgoal=subgoal, kind=QuestionKind.APPROVAL, status=QuestionStatus.ANSWERED, digest=digest, answer=True
    ).exists()
