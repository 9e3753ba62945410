"""The tree of a goal in four statements, whatever its size."""

from typing import Any

from django.db.models import Max, OuterRef, Subquery

from goals.models import Goal, Subgoal

MOST_CHECKPOINTS = 1000
MOST_SUBGOALS = 5000
COLUMNS = [
    "id",
    "gloss",
    "predicate",
    "operation",
    "decomposition",
    "depth",
    "position",
    "plan",
    "replans",
    "status",
    "attempts",
    "evidence_key",
    "wake_at",
    "started_at",
    "finished_at",
    "failure",
]
CHECKPOINT_COLUMNS = ["id", "position", "title", "status", "attempts", "iteration"]


def tree_of(goal: Goal) -> dict[str, Any]:
    """Return the checkpoints in order, each with its root subgoal and what is below it (latest round)."""
    checkpoints = list(goal.checkpoints.order_by("position").values(*CHECKPOINT_COLUMNS)[:MOST_CHECKPOINTS])
    found = _latest_round(goal).order_by("depth", "position").values(*COLUMNS, "parent_id", "checkpoint_id")
    rows = list(found[: MOST_SUBGOALS + 1])
    cut = len(rows) > MOST_SUBGOALS or len(checkpoints) == MOST_CHECKPOINTS
    roots = _nested(rows[:MOST_SUBGOALS], _dependencies(goal))
    return {
        "goal": goal.pk,
        "status": goal.status,
        "last_seq": goal.seq,
        "cut": cut,
        "checkpoints": [{**row, "root": roots.get(row["id"])} for row in checkpoints],
    }


def _latest_round(goal: Goal) -> Any:
    same = Subgoal.objects.filter(checkpoint_id=OuterRef("checkpoint_id")).order_by()
    latest = same.values("checkpoint_id").annotate(latest=Max("round")).values("latest")
    return Subgoal.objects.filter(goal=goal, round=Subquery(latest))


def _dependencies(goal: Goal) -> dict[Any, list[Any]]:
    links = Subgoal.depends_on.through.objects.filter(from_subgoal__goal=goal)
    found: dict[Any, list[Any]] = {}
    for node, needed in links.values_list("from_subgoal_id", "to_subgoal_id")[: 4 * MOST_SUBGOALS]:
        found.setdefault(node, []).append(needed)
    return found


def _nested(rows: list[dict[str, Any]], needs: dict[Any, list[Any]]) -> dict[Any, dict[str, Any]]:
    """Return the root of each checkpoint; rows come parents first."""
    nodes: dict[Any, dict[str, Any]] = {}
    roots: dict[Any, dict[str, Any]] = {}
    for row in rows:
        parent, checkpoint = row.pop("parent_id"), row.pop("checkpoint_id")
        node = nodes[row["id"]] = {**row, "depends_on": needs.get(row["id"], []), "children": []}
        if parent is None:
            roots[checkpoint] = node
        elif parent in nodes:
            nodes[parent]["children"].append(node)
    return roots
