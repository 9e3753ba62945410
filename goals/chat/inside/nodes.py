"""A node of the goal: what it is to do, what was done for it, what came of it."""

from typing import Any

from django.db.models import Q

from artifacts.models import Artifact
from goals.chat.amounts import duration
from goals.chat.graph import deed, origin
from goals.chat.inside.values import row_of, shown
from goals.chat.inside.work import Deed, spent, work_of
from goals.chat.pieces import Piece, piece
from goals.models import Checkpoint, Goal, Subgoal

MOST_PARTS = 200


def checkpoint(goal: Goal, row_id: Any) -> tuple[str, list[Piece]]:
    """Return the title and the pieces of a checkpoint, with the root of its latest round."""
    row = row_of(goal, Checkpoint.objects.select_related("proof"), row_id)
    roots = list(Subgoal.objects.filter(checkpoint=row, parent=None).order_by("-round"))
    root = roots[0] if roots else None
    of = Q(checkpoint=row, subgoal=None) | Q(subgoal=root) if root else Q(checkpoint=row, subgoal=None)
    about = {
        "kind": "Checkpoint",
        "number": row.position + 1,
        "title": row.title,
        "said": shown(_result(row), "result"),
        "earlier": [(old.round, old) for old in roots[1:]],
        "proof": row.proof,
        **_shared(row),
        **spent(goal, Q(checkpoint=row)),
    }
    plan = {
        "description": row.description,
        "criteria": row.success_criteria,
        "verifier": shown(row.verifier, "verifier"),
    }
    questions = Q(subgoal=root) if root else None
    return row.title, _pieces(goal, row, root, about, plan, work_of(goal, of, questions, Q(checkpoint=row)))


def subgoal(goal: Goal, row_id: Any) -> tuple[str, list[Piece]]:
    """Return the title and the pieces of a subgoal."""
    row = row_of(goal, Subgoal.objects.select_related("parent", "checkpoint"), row_id)
    about = {
        "kind": "Subgoal",
        "title": row.gloss,
        "above": row.parent if row.parent and row.parent.parent_id else None,
        "checkpoint": row.checkpoint,
        "round": row.round,
        "said": shown(_result(row), "result"),
        "before": row.previous_failure[:2000],
        "needs": list(row.depends_on.all()[:MOST_PARTS]),
        "needed_by": list(row.dependants.all()[:MOST_PARTS]),
        **_shared(row),
        **spent(goal, Q(subgoal=row)),
    }
    plan = {"outputs": shown(row.outputs or None)}
    return row.gloss, _pieces(goal, row, row, about, plan, work_of(goal, Q(subgoal=row), Q(subgoal=row)))


def checkpoint_part(goal: Goal, row_id: Any, name: str) -> Any:
    """Return the whole of what the page cuts: `result`, `arguments` or `verifier`."""
    row = row_of(goal, Checkpoint.objects, row_id)
    return row.verifier if name == "verifier" else _part(row, name)


def subgoal_part(goal: Goal, row_id: Any, name: str) -> Any:
    """Return the whole of what the page cuts: `result` or `arguments`."""
    return _part(row_of(goal, Subgoal.objects, row_id), name)


def _part(row: Checkpoint | Subgoal, name: str) -> Any:
    return _result(row) if name == "result" else row.args if name == "arguments" else None


def _result(row: Checkpoint | Subgoal) -> Any:
    if isinstance(row, Subgoal):
        return row.failure["message"] if row.failure else _text(row.result)
    root = row.subgoals.filter(parent=None).order_by("-round").first()
    return row.failure or row.result_summary or _text(root and root.result)


def _shared(row: Checkpoint | Subgoal) -> dict[str, Any]:
    return {
        "row": row,
        "deed": deed(row.predicate, row.operation, str(row.args.get("tool", ""))),
        "origin": origin(row.provenance),
        "untrusted": bool(row.provenance.get("untrusted")),
        "took": duration(max(0.1, (row.finished_at - row.started_at).total_seconds()))
        if row.finished_at and row.started_at
        else "",
    }


def _pieces(
    goal: Goal,
    row: Checkpoint | Subgoal,
    node: Subgoal | None,
    about: dict[str, Any],
    plan: dict[str, Any],
    work: list[Deed],
) -> list[Piece]:
    parts = list(node.children.order_by("plan", "position")[:MOST_PARTS]) if node else []
    plan = {
        **plan,
        "row": row,
        "args": shown(row.args or None, "arguments"),
        "conditions": [_condition(one) for one in row.done_when],
    }
    base = {"goal": goal, "base": f"{'subgoals' if isinstance(row, Subgoal) else 'checkpoints'}/{row.pk}"}
    found = [
        piece("i-head", "inside/node_head.html", {**base, **about}),
        piece("i-plan", "inside/node_plan.html", {**base, **plan}),
        piece("i-work", "inside/work.html", {**base, "work": work}) if work else None,
        piece("i-parts", "inside/node_parts.html", {**base, "node": node, "parts": parts}) if parts else None,
        _artifacts(goal, node, base),
    ]
    return [one for one in found if one is not None]


def _artifacts(goal: Goal, node: Subgoal | None, base: dict[str, Any]) -> Piece | None:
    if node is None:
        return None
    rows = Artifact.objects.filter(context_id=goal.artifact_context_id, metadata__subgoal=str(node.pk)).defer("value")
    made = list(rows.order_by("created_at")[:MOST_PARTS])
    return piece("i-made", "inside/node_made.html", {**base, "made": made}) if made else None


def _condition(one: dict[str, Any]) -> str:
    kind, rest = str(one.get("kind", "")), {name: value for name, value in one.items() if name != "kind"}
    words = {
        "has_evidence": "there is evidence",
        "predicate_true": "it holds that",
        "verifier": "verified",
        "after": "after",
    }
    return f"{words.get(kind, kind)}: {', '.join(map(str, rest.values()))[:500]}"


def _text(value: Any) -> Any:
    """Return what a result says: its text where it has one."""
    return value.get("text", value) if isinstance(value, dict) else value
