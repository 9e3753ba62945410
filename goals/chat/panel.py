"""The living goal beside the conversation: what it is, how it stands, its steps, what it needs, what it used."""

from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from goals.chat.pieces import Piece, piece
from goals.chat.results import files_of
from goals.chat.showing import amount, duration, shown_question
from goals.chat.standing import goal_in_words, in_short, why
from goals.effects.ledger import lines_of
from goals.models import Checkpoint, Goal, Subgoal
from goals.services import UNFINISHED
from goals.states import CheckpointStatus, GoalStatus, Resource

MOST_STEPS = 200
MOST_SUBGOALS = 300
NEARLY = Decimal("0.8")
RESOURCES = {
    Resource.MODEL_CALLS: "Model calls",
    Resource.TOKENS: "Tokens",
    Resource.COST_USD: "Cost",
    Resource.SECONDS: "Time at work",
}


@dataclass
class Node:
    """A subgoal with its children."""

    row: Subgoal
    children: list["Node"] = field(default_factory=list)


def panel(goal: Goal | None) -> list[Piece]:
    """Return the panel's pieces for a goal, or for a conversation that has none yet."""
    if goal is None:
        return [piece("p-none", "panel_none.html", {})]
    steps = _steps(goal)
    found = [
        _head(goal, steps),
        _questions(goal),
        piece("p-steps", "panel_steps.html", {"steps": steps, "goal": goal}) if steps else None,
        _files(goal),
        piece("p-budget", "panel_budget.html", {"lines": _budget(goal), "goal": goal}),
        _steering(goal),
    ]
    return [one for one in found if one is not None]


def _head(goal: Goal, steps: list[dict[str, Any]]) -> Piece:
    settled = sum(step["row"].status == CheckpointStatus.COMPLETED for step in steps)
    context = {
        "goal": goal,
        "words": goal_in_words(goal),
        "why": why(goal),
        "settled": settled,
        "total": sum(step["row"].status != CheckpointStatus.SKIPPED for step in steps),
        "can_pause": goal.status in UNFINISHED and goal.status != GoalStatus.PAUSED,
        "can_resume": goal.status == GoalStatus.PAUSED,
        "can_cancel": goal.status in UNFINISHED,
    }
    kind = f"head {goal.status}"
    return piece("p-head", "panel_head.html", context, kind=kind, words=context["words"], short=in_short(goal))


def _questions(goal: Goal) -> Piece | None:
    rows = goal.questions.open().select_related("goal").order_by("created_at")[:10]
    shown = [shown_question(row) for row in rows]
    return piece("p-questions", "panel_questions.html", {"questions": shown}, kind="needs") if shown else None


def _steps(goal: Goal) -> list[dict[str, Any]]:
    rows = list(goal.checkpoints.select_related("proof").order_by("position")[:MOST_STEPS])
    trees = _trees(goal)
    return [
        {"row": row, "number": number, "nodes": trees.get(row.pk, []), "took": _took(row), "proof": _proof(row)}
        for number, row in enumerate(rows, start=1)
    ]


def _trees(goal: Goal) -> dict[Any, list[Node]]:
    """Return the subgoals under each checkpoint's root, of its latest round."""
    rows = list(goal.subgoals.order_by("-created_at", "-id")[:MOST_SUBGOALS])[::-1]
    rounds: dict[Any, int] = defaultdict(int)
    for row in rows:
        rounds[row.checkpoint_id] = max(rounds[row.checkpoint_id], row.round)
    nodes = {row.pk: Node(row) for row in rows if row.round == rounds[row.checkpoint_id]}
    trees: dict[Any, list[Node]] = defaultdict(list)
    for node in sorted(nodes.values(), key=lambda node: (node.row.depth, node.row.position)):
        parent = nodes.get(node.row.parent_id)
        if parent is not None:
            parent.children.append(node)
        elif node.row.parent_id is None:
            trees[node.row.checkpoint_id] = node.children
    return trees


def _took(row: Checkpoint) -> str:
    if row.started_at is None or row.finished_at is None or row.status != CheckpointStatus.COMPLETED:
        return ""
    return duration(max(0.1, (row.finished_at - row.started_at).total_seconds()))


def _proof(row: Checkpoint) -> str:
    return row.proof.reason[:300] if row.proof is not None else ""


def _files(goal: Goal) -> Piece | None:
    files = files_of(goal)
    return piece("p-files", "panel_files.html", {"goal": goal, "files": files}) if files else None


def _budget(goal: Goal) -> list[dict[str, Any]]:
    return [
        {
            "name": RESOURCES[line.resource],
            "resource": line.resource.value,
            "used": amount(line.resource, line.used + line.reserved),
            "limit": None if line.limit is None else amount(line.resource, line.limit),
            "value": float(line.used + line.reserved),
            "max": None if line.limit is None else float(line.limit),
            "nearly": line.limit is not None and line.used + line.reserved >= line.limit * NEARLY,
        }
        for line in lines_of(goal)
    ]


def _steering(goal: Goal) -> Piece | None:
    if goal.status not in UNFINISHED:
        return None
    entries = [entry for entry in goal.steering if not entry.get("taken_back")]
    return piece("p-steer", "panel_steer.html", {"goal": goal, "entries": entries[-3:]})
