"""The graph of a goal as data for the page's script: three statements, whatever its size.

A checkpoint and the root subgoal of its latest round are one node: the root is made of the checkpoint's plan. A key
that would hold nothing is left out.
"""

from typing import Any

from django.db.models import CharField, F, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce, Left

from goals.models import Goal, Subgoal
from goals.states import CheckpointStatus, Predicate, SubgoalStatus

MOST_CHECKPOINTS = 1000
MOST_SUBGOALS = 5000
LONGEST_TITLE = 300
SHARED = ("id", "status", "predicate", "operation", "attempts", "provenance", "tools", "tool")
TIMES = ("started_at", "finished_at")
OF_CHECKPOINT = (*SHARED, *TIMES, "title", "position", "yields", "iteration")
OF_SUBGOAL = (*SHARED, *TIMES, "short", "checkpoint_id", "parent_id", "round", "plan", "replans", "decomposition")
PREDICATES = {
    Predicate.COMPOSITE: "Several parts",
    Predicate.USE_TOOL: "Use a tool",
    Predicate.GATHER_INFO: "Ask",
    Predicate.CONFIRM: "Ask for a yes",
    Predicate.PRESENT_INFO: "Tell",
}
UNDER_WAY = {SubgoalStatus.ACTIVE, SubgoalStatus.WAITING, SubgoalStatus.BLOCKED}
TOOL = Coalesce(KeyTextTransform("tool", "args"), Value(""), output_field=CharField())


def graph_of(goal: Goal) -> dict[str, Any]:
    """Return `{seq, status, cut, nodes, needs}`: nodes in the order of the plan, parents before their children."""
    checkpoints = list(
        goal.checkpoints.annotate(tool=TOOL).order_by("position").values(*OF_CHECKPOINT)[: MOST_CHECKPOINTS + 1]
    )
    subgoals = list(_subgoals(goal)[: MOST_SUBGOALS + 1])
    cut = len(checkpoints) > MOST_CHECKPOINTS or len(subgoals) > MOST_SUBGOALS
    nodes, names = _nodes(checkpoints[:MOST_CHECKPOINTS], _latest(subgoals[:MOST_SUBGOALS]))
    return {"seq": goal.seq, "status": goal.status, "cut": cut, "nodes": nodes, "needs": _needs(goal, names)}


def origin(provenance: dict[str, Any]) -> str:
    """Return where a node's plan comes from, in words."""
    if "sop" in provenance:
        step = provenance.get("step")
        number = f", step {step + 1}" if isinstance(step, int) else ""
        return f"{provenance['sop']} v{provenance.get('version', '?')}{number}"
    return "planned by the model" if provenance.get("source") == "model" else ""


def deed(predicate: str, operation: str, tool: str = "") -> str:
    """Return what kind of work a node is, in words; an `execute` is called by its operation."""
    if predicate == Predicate.USE_TOOL and tool:
        return tool
    return (operation or "work").capitalize() if predicate == Predicate.EXECUTE else PREDICATES[Predicate(predicate)]


def _subgoals(goal: Goal) -> Any:
    rows = goal.subgoals.annotate(tool=TOOL, short=Left("gloss", LONGEST_TITLE))
    return rows.order_by("-round", "depth", "plan", "position", "id").values(*OF_SUBGOAL)


def _latest(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep the latest round of each checkpoint; rows come latest round first."""
    rounds: dict[Any, int] = {}
    return [row for row in rows if rounds.setdefault(row["checkpoint_id"], row["round"]) == row["round"]]


def _nodes(
    checkpoints: list[dict[str, Any]], subgoals: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], dict[Any, str]]:
    """Return the nodes, and under which name each subgoal is known to them: a root under its checkpoint's."""
    roots = {row["checkpoint_id"]: row for row in subgoals if row["parent_id"] is None}
    plans = {row["id"]: row["replans"] + 1 for row in subgoals}
    names = {row["id"]: str(row["checkpoint_id"] if row["parent_id"] is None else row["id"]) for row in subgoals}
    nodes = [_checkpoint(number, row, roots.get(row["id"])) for number, row in enumerate(checkpoints, start=1)]
    for row in subgoals:
        if row["parent_id"] in names:
            is_old = row["plan"] != plans[row["parent_id"]]
            nodes.append(_subgoal(row, names[row["parent_id"]], is_old))
    return nodes, names


def _checkpoint(number: int, row: dict[str, Any], root: dict[str, Any] | None) -> dict[str, Any]:
    under_way = root is not None and row["status"] == CheckpointStatus.ACTIVE and root["status"] in UNDER_WAY
    found = {
        "title": row["title"],
        "number": number,
        "status": root["status"] if root is not None and under_way else row["status"],
        "attempts": row["attempts"],
        "iteration": row["iteration"] if row["iteration"] > 1 else None,
        "either": root is not None and root["decomposition"] == "OR",
    }
    return _filled("checkpoint", row, found)


def _subgoal(row: dict[str, Any], parent: str, is_old: bool) -> dict[str, Any]:
    found = {
        "title": row["short"],
        "parent": parent,
        "status": row["status"],
        "attempts": row["attempts"],
        "either": row["decomposition"] == "OR",
        "old": row["plan"] if is_old else None,
    }
    return _filled("subgoal", row, found)


def _filled(kind: str, row: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    more = {
        "deed": deed(row["predicate"], row["operation"], row["tool"]),
        "tools": ", ".join(map(str, row["tools"][:3])) if not row["tool"] else "",
        "origin": origin(row["provenance"]),
        "began": row["started_at"] and row["started_at"].isoformat(timespec="milliseconds"),
        "ended": row["finished_at"] and row["finished_at"].isoformat(timespec="milliseconds"),
    }
    return {"id": str(row["id"]), "kind": kind, **{name: value for name, value in {**found, **more}.items() if value}}


def _needs(goal: Goal, names: dict[Any, str]) -> list[list[str]]:
    """Return `[node, what it waits for]` for each dependency between nodes that are shown."""
    links = Subgoal.depends_on.through.objects.filter(from_subgoal__goal=goal).annotate(
        node=F("from_subgoal_id"), needed=F("to_subgoal_id")
    )
    found = links.values_list("node", "needed").order_by("id")[: 4 * MOST_SUBGOALS]
    return [[names[node], names[needed]] for node, needed in found if node in names and needed in names]
