"""Whether a tool may be used now: `auto`, `ask` or `deny`, by the rules, the goal and the work (DESIGN section 8)."""

from functools import lru_cache
from typing import Any

from goals.connections import pooled
from goals.digests import digest
from goals.lately import Lately
from goals.models import Goal, Question, Subgoal, ToolCall, ToolRule
from goals.states import Operation, Permission, QuestionKind, QuestionStatus, Risk
from goals.tool_rules import Rules, Ruling
from goals.tools import registry
from goals.tools.base import Reach, Tool


def _read() -> Rules:
    return Rules(row.rule for row in ToolRule.objects.all())


rules = Lately(_read)


def ruling(tool: Tool, goal: Goal | None = None) -> Ruling:
    """Return what the rules say of a tool: to a goal, or to whoever uses it outside of any."""
    return rules.get().ruling(tool.name, tool.risk, () if goal is None else lineage(goal))


def lineage(goal: Goal) -> tuple[Any, ...]:
    """Return the ids of the goal, of those that it was made for or forked from, the nearest first, and of its root."""
    above = goal.parent_id or goal.forked_from_id
    between = () if above is None or above == goal.root_id else _lineage_of(above)
    return (goal.pk, *between, goal.root_id)


@lru_cache(maxsize=10_000)
def _lineage_of(goal_id: Any) -> tuple[Any, ...]:
    """Where a goal comes from never changes."""
    with pooled():
        return lineage(Goal.objects.only("parent", "forked_from", "root").get(pk=goal_id))


def permission(tool: Tool, goal: Goal, operation: str = "") -> Permission:
    """What its owner approved of beforehand asks no more, but for a rule of the goal; an operation may deny a reach."""
    if operation == Operation.THINK and tool.reach != Reach.NONE:
        return Permission.DENY
    if operation == Operation.SEARCH and tool.reach == Reach.WRITE:
        return Permission.DENY
    found = ruling(tool, goal)
    if found.permission is Permission.ASK and goal.auto_approve and not found.is_of_goal:
        return Permission.AUTO
    return found.permission


def asks_anyway(tool: Tool, untrusted: bool) -> bool:
    """Whether a use needs a word whatever the rules say: a dangerous tool that was told something from outside."""
    return untrusted and tool.risk == Risk.DANGEROUS


def denied(goal: Goal) -> frozenset[str]:
    """Return the names of the tools that no work of a goal may use."""
    return frozenset(tool.name for tool in registry.all_tools() if ruling(tool, goal).permission is Permission.DENY)


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
