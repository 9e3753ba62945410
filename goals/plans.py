"""Plans on their way to rows: what they are held against, and the rows of one that is right."""

from collections.abc import Collection, Sequence, Set
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.conf import settings

from artifacts.services import evidence_keys
from goals import plan_rules, policy
from goals.models import Checkpoint, Goal, Subgoal
from goals.plan_rules import Known
from goals.states import Predicate
from goals.tools import registry
from goals.tools.base import plain_name
from sops.adaptation import PlannedStep, adapt
from sops.exceptions import NotAdaptable
from sops.schema import SopSpec

MAX_CHILDREN = 50


def most_checkpoints(goal: Goal) -> int:
    return int(goal.options.get("max_checkpoints", settings.GOALSITE_MAX_CHECKPOINTS))


# -- what is wrong ----------------------------------------------------------------------------------------------


def checkpoint_errors(drafts: Sequence[Any], goal: Goal, inputs: Collection[str] = ()) -> list[str]:
    """Return every error of a model's plan of checkpoints; empty when it can be followed. `inputs` are given."""
    return plan_rules.checkpoint_errors(plain(drafts), _known(goal, most_checkpoints(goal), inputs), goal.objective)


def edited_errors(given: Sequence[Any], goal: Goal, inputs: Collection[str]) -> list[str]:
    """Return every error of a plan as a person sent it: JSON of any shape."""
    return plan_rules.checkpoint_errors(given, _known(goal, most_checkpoints(goal), inputs), goal.objective)


def procedure_errors(steps: Sequence[PlannedStep], goal: Goal, inputs: Collection[str]) -> list[str]:
    """Return every error of a procedure that was adapted to a goal, of which `inputs` are given."""
    known = _known(goal, most_checkpoints(goal), inputs, reviewed=True)
    return plan_rules.checkpoint_errors(plain(steps), known, goal.objective)


def subgoal_errors(plan: Any, goal: Goal, parent: Subgoal) -> list[str]:
    """Return every error of a model's plan of children."""
    # What the parent's own key stands for is made when the children's results are joined.
    needed = {c["key"] for c in parent.done_when if c["kind"] == "has_evidence"} - {parent.evidence_key}
    known = _known(goal, MAX_CHILDREN)
    return plan_rules.subgoal_errors(plain(plan.subgoals), plan.decomposition, known, parent.gloss, needed)


def _known(goal: Goal, most: int, inputs: Collection[str] = (), *, reviewed: bool = False) -> Known:
    denied = policy.denied(goal)
    allowed = [tool for tool in registry.all_tools() if tool.name not in denied]
    tools = {tool.name: registry.schema(tool)["function"]["parameters"] for tool in allowed}
    return Known(tools, evidence_keys(goal.artifact_context_id) | frozenset(inputs), most, reviewed, denied)


# -- procedures -------------------------------------------------------------------------------------------------


def adapted(spec: SopSpec, goal: Goal, known: Set[str], objective: str) -> list[PlannedStep]:
    """Return a procedure's steps with the tools that the goal may use; raises NotAdaptable where one is denied."""
    denied = policy.denied(goal)
    if called := sorted({step.tool for step in spec.steps if step.tool} & denied):
        raise NotAdaptable(f"the tool policy denies {', '.join(called)} to this goal")
    return adapt(spec, known, set(registry.names()) - denied, objective)


def plain(drafts: Sequence[Any]) -> list[dict[str, Any]]:
    """Return steps as the JSON that the rules look at."""
    return [_plain_step(draft) if isinstance(draft, PlannedStep) else draft.model_dump(mode="json") for draft in drafts]


def _plain_step(step: PlannedStep) -> dict[str, Any]:
    fields = asdict(step)
    del fields["step"]
    return {**fields, "tools": list(step.tools), "done_when": list(step.done_when)}


# -- rows -------------------------------------------------------------------------------------------------------


def key_of(draft: Any, mark: Any) -> str:
    """Return the evidence key of a step: the declared one, else one that its predicate implies, told by `mark`."""
    if draft.evidence_key:
        return draft.evidence_key
    if draft.predicate in {Predicate.GATHER_INFO, Predicate.CONFIRM} and draft.args.get("key"):
        return str(draft.args["key"])
    if draft.predicate == Predicate.CONFIRM:
        return f"confirmation_{mark}"
    if draft.predicate == Predicate.USE_TOOL:
        return f"{plain_name(str(draft.args.get('tool', 'tool')))}_{mark}"
    return ""


def checkpoint_of(
    goal: Goal, draft: Any, position: int, number: int, provenance: dict[str, Any], since: datetime | None
) -> Checkpoint:
    """Return the unsaved row of one step of a plan. A step with a key is done when there is evidence of it.

    Evidence from before `since` counts only where it is a person's or belongs to what is completed (`loop.py`).
    """
    key = key_of(draft, number)
    return Checkpoint(
        goal=goal,
        position=position,
        title=draft.title[:300],
        description=draft.description,
        success_criteria=draft.success_criteria,
        verifier=getattr(draft, "verifier", None),
        predicate=draft.predicate,
        args=draft.args,
        operation=draft.operation or "",
        tools=list(draft.tools),
        evidence_key=key,
        done_when=conditions_of(draft, key),
        provenance=provenance,
        iteration=goal.iteration,
        revision=goal.revision,
        evidence_since=since,
    )


def child_of(parent: Subgoal, draft: Any, position: int, provenance: dict[str, Any]) -> Subgoal:
    """Return the unsaved row of one child of a composite subgoal."""
    # Evidence is the whole goal's: what is implied here must not be what was implied under another parent.
    key = key_of(draft, f"{parent.pk.hex[-12:]}_{position}")
    return Subgoal(
        goal_id=parent.goal_id,
        checkpoint_id=parent.checkpoint_id,
        parent=parent,
        round=parent.round,
        plan=parent.replans + 1,
        position=position,
        depth=parent.depth + 1,
        gloss=draft.gloss,
        predicate=draft.predicate,
        args=draft.args,
        operation=draft.operation or "",
        done_when=conditions_of(draft, key),
        outputs=[output.model_dump(mode="json") for output in draft.outputs],
        tools=list(draft.tools),
        evidence_key=key,
        provenance=provenance,
    )


def edges(children: Sequence[Subgoal], drafts: Sequence[Any]) -> list[tuple[Subgoal, int]]:
    """Return each dependency as a child and the position it waits for."""
    return [(children[n], d) for n, draft in enumerate(drafts) for d in sorted(set(draft.depends_on))]


def conditions_of(draft: Any, key: str) -> list[dict[str, Any]]:
    declared = [c if isinstance(c, dict) else c.model_dump(mode="json") for c in draft.done_when]
    if declared or not key:
        return declared
    return [{"kind": "has_evidence", "key": key}]
