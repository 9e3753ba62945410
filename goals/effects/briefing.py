"""What prompts are told: bounded whatever the goal's size, and the same each time it is asked for.

A checkpoint starts fresh from goal, summary, artifact catalogue and recent steering (DESIGN section 5).
"""

import json
from functools import cache
from typing import Any

from artifacts.services import catalogue, holds_untrusted
from goals import policy
from goals.budget import figure
from goals.models import Budget, Checkpoint, Goal, ToolCall
from goals.results import cut
from goals.rows import execute
from goals.states import CheckpointStatus, EffectClass, EffectStatus
from goals.tools import registry
from goals.tools.text import shorten

RECENT_STEERING = 5
RECENT_CALLS = 30
LONGEST_PAST_RESULT = 1_000
LONGEST_ARGUMENT = 2_000

COMPLETED = """
SELECT title, result_summary, evidence_key FROM goals_checkpoint
WHERE goal_id = %s AND status = 'completed' ORDER BY position DESC LIMIT %s
"""
REMAINING = """
SELECT title, description FROM goals_checkpoint WHERE goal_id = %s AND status = 'pending' ORDER BY position LIMIT %s
"""
CALLS = """
SELECT call.tool, call.request -> 'input', call.status, CASE call.summary WHEN '' THEN call.error ELSE call.summary END
FROM goals_toolcall call {whose} AND call.status IN ('succeeded', 'failed') ORDER BY call.created_at DESC LIMIT %s
"""
CALLS_OF_GOAL = CALLS.format(whose="WHERE call.goal_id = %s")
CALLS_OF_ATTEMPT = CALLS.format(
    whose="JOIN goals_subgoal subgoal ON subgoal.id = call.subgoal_id WHERE call.checkpoint_id = %s AND round = %s"
)
TOLD_FROM_OUTSIDE = "SELECT EXISTS (SELECT 1 FROM goals_toolcall WHERE goal_id = %s AND untrusted)"


def artifacts_of(goal: Goal) -> str:
    return catalogue(goal.artifact_context_id)


def carries_outside(goal: Goal) -> bool:
    """Whether a prompt about this goal may hold content from outside: as an artifact, in a summary or in a failure."""
    if holds_untrusted(goal.artifact_context_id):
        return True
    return bool(execute(TOLD_FROM_OUTSIDE, [goal.pk]).fetchone()[0])


def steering_of(goal: Goal) -> str:
    """Return what people said lately, and whatever of it nobody has looked at yet."""
    most = max(RECENT_STEERING, goal.words - goal.words_heard)
    return "\n".join(_word(entry) for entry in goal.steering[-most:])


def _word(entry: dict[str, Any]) -> str:
    return f"- (taken back, it counts no longer) {entry['text']}" if entry.get("taken_back") else f"- {entry['text']}"


def wishes_of(goal: Goal) -> str:
    """Return what a planner is told of its owner's wishes: recent steering, and remarks on plans that had to wait."""
    remarks = "\n".join(f"- {remark}" for remark in goal.plan_remarks[-RECENT_STEERING:])
    return "\n".join(text for text in (steering_of(goal), remarks) if text)


def tools_for_plan(goal: Goal) -> list[dict[str, Any]]:
    """Return what a planner is told of the tools that the goal may use."""
    denied = policy.denied(goal)
    return [tool for tool in _tools_in_words() if tool["name"] not in denied]


@cache
def _tools_in_words() -> list[dict[str, Any]]:
    """What they do, what they take, and how they can be repeated."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "effect_class": str(tool.effect_class),
            "input": registry.schema(tool)["function"]["parameters"].get("properties", {}),
            "required": list(tool.required()),
        }
        for tool in registry.all_tools()
    ]


def budget_of(goal: Goal) -> dict[str, str]:
    """Return what is left of each limited resource, in words."""
    rows = Budget.objects.filter(goal_id=goal.budget_goal_id, limit__isnull=False)
    return {row.resource: f"{figure(row.limit - row.used - row.reserved)} of {figure(row.limit)} left" for row in rows}


def checkpoint_of(checkpoint: Checkpoint) -> dict[str, str]:
    return {
        "title": checkpoint.title,
        "description": checkpoint.description,
        "success_criteria": checkpoint.success_criteria,
    }


def completed_of(goal: Goal, most: int = 20) -> list[dict[str, str]]:
    """Return the latest completed checkpoints with their results, oldest first."""
    found = execute(COMPLETED, [goal.pk, most]).fetchall()
    return [
        {"title": title, "result": cut(result, LONGEST_PAST_RESULT, f"@{key}" if key else "")}
        for title, result, key in reversed(found)
    ]


def remaining_of(goal: Goal, most: int = 50) -> list[dict[str, str]]:
    found = execute(REMAINING, [goal.pk, most]).fetchall()
    return [{"title": title, "description": shorten(description, 500)} for title, description in found]


def tool_calls_of(checkpoint: Checkpoint) -> list[dict[str, Any]]:
    """Return what tools really did in the attempt in hand: what a judge sees instead of the worker's word."""
    return _told(execute(CALLS_OF_ATTEMPT, [checkpoint.pk, checkpoint.round, RECENT_CALLS]).fetchall())


def recent_tool_calls(goal: Goal) -> list[dict[str, Any]]:
    """Return what tools did lately for the goal as a whole."""
    return _told(execute(CALLS_OF_GOAL, [goal.pk, RECENT_CALLS]).fetchall())


def _told(newest_first: list[Any]) -> list[dict[str, Any]]:
    return [_call(*found) for found in reversed(newest_first)]


def _call(tool: str, arguments: str | None, status: str, said: str) -> dict[str, Any]:
    given = shortened(json.loads(arguments or "{}"))
    return {"tool": tool, "arguments": given, "status": status, "summary": shorten(said, 500)}


def done_outside(goal: Goal) -> list[dict[str, Any]]:
    """Return what the goal has done outside, or may have: it is real, whatever became of the plan that wanted it."""
    made = ToolCall.objects.filter(goal=goal, effect_class=EffectClass.EXTERNAL).exclude(status=EffectStatus.FAILED)
    rows = made.select_related("checkpoint").defer("response").order_by("-created_at")[:RECENT_CALLS]
    return [
        {
            **_call(row.tool, json.dumps(row.request.get("input")), str(row.status), row.summary or row.error),
            "at": row.created_at.isoformat(timespec="seconds"),
            "for": row.checkpoint.title if row.checkpoint else "",
            "completed": row.checkpoint is not None and row.checkpoint.status == CheckpointStatus.COMPLETED,
        }
        for row in reversed(rows)
    ]


def shortened(arguments: dict[str, Any]) -> dict[str, Any]:
    """Cut long arguments: whoever needs all of a text that was written reads the file."""
    texts = {name: json.dumps(value, ensure_ascii=False) for name, value in arguments.items()}
    long = {name: f"{text[:LONGEST_ARGUMENT]}…" for name, text in texts.items() if len(text) > LONGEST_ARGUMENT}
    return {**arguments, **long}
