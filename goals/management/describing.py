"""One goal in full, for `manage.py goals show`."""

from collections.abc import Iterator
from typing import Any

from goals.management.following import result_of
from goals.management.listing import budget_cell, facts_of, state_of
from goals.management.showing import next_step
from goals.management.wording import one_line
from goals.models import Goal

STEERED = 3


def described(goal: Goal) -> dict[str, Any]:
    """Return the goal as JSON: what a list says of it, and its result so far, steps numbered."""
    (facts,) = facts_of([goal])
    result = {name: value for name, value in result_of(goal).items() if name != "type"}
    return {**facts, **result, "checkpoints": _steps(goal), "workspace": goal.workspace, "seq": goal.seq}


def lines_of(goal: Goal) -> Iterator[str]:
    """Yield the goal as a person reads it."""
    found = described(goal)
    yield f"goal {found['goal']}"
    yield f"  {one_line(goal.objective)}"
    yield f"  {state_of(found)}" + (f": {one_line(found['reason'])}" if found["reason"] else "")
    yield f"  of {found['owner']}, made {goal.created_at:%Y-%m-%d %H:%M} UTC, in {goal.workspace}"
    for name, line in found["budget"].items():
        yield f"  {name:<12} {budget_cell(line)}"
    if found["checkpoints"]:
        yield "steps"
    for step in found["checkpoints"]:
        again = f", attempt {step['attempts']}" if step["attempts"] > 1 else ""
        yield f"  {step['number']}. {one_line(step['title'])} ({step['status']}{again})"
    for said in goal.steering[-STEERED:]:
        yield f"steered by {one_line(said['by'])}: {one_line(said['text'])}"
    for question in found["questions"]:
        yield f"open question {question['key']} ({question['id']}): {one_line(question['prompt'])}"
        yield from (f"    {number}. {one_line(said)}" for number, said in enumerate(question["suggestions"], 1))
    for artifact in found["artifacts"]:
        yield f"@{artifact['name']} version {artifact['version']} ({artifact['type']})"
    yield from next_step(goal)


def _steps(goal: Goal) -> list[dict[str, Any]]:
    rows = goal.checkpoints.order_by("position").values("id", "position", "title", "status", "attempts")
    return [
        {
            "id": str(row["id"]),
            "number": row["position"] + 1,
            "title": row["title"],
            "status": row["status"],
            "attempts": row["attempts"],
        }
        for row in rows
    ]
