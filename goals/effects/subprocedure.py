"""Planning a composite subgoal by a procedure, where a judge finds one that applies (DESIGN section 5)."""

from typing import Any

from artifacts.services import evidence_keys
from goals import plans
from goals.connections import pooled
from goals.driver import Drive
from goals.effects import offspring
from goals.effects.applicable import Found, find
from goals.effects.calls import recording
from goals.effects.family import up
from goals.effects.making import make_artifact
from goals.llm.shapes import SubgoalDraft
from goals.models import Subgoal
from goals.states import Decomposition
from goals.transitions import Writer
from sops import services as sop_uses
from sops.adaptation import PlannedStep
from sops.exceptions import NotAdaptable
from sops.exporter import spec_of

LONGEST_GLOSS = 2_000


def follow(drive: Drive, subgoal: Subgoal) -> bool:
    """Give a subgoal the steps of a procedure as its children, one after the other; False where none applies.

    What is followed already, by the goal or by a subgoal above, is not followed again within itself.
    """
    goal = drive.goal
    context = f"It is a part of this goal: {goal.objective}"
    found, call = find(drive, subgoal.gloss, context, target=subgoal, without=_followed(drive, subgoal))
    if call is None:
        return False
    steps = _steps(drive, subgoal, found) if found is not None else []
    with recording(drive, call) as writer:
        if found is not None and steps:
            _write(drive, writer, subgoal, found, steps)
    return bool(steps)


def _followed(drive: Drive, subgoal: Subgoal) -> set[str]:
    with pooled():
        version = drive.goal.sop_version
        slugs = {version.sop.slug} if version is not None else set()
    return slugs | {node.provenance["sop"] for node in up(drive.picture, subgoal) if "sop" in node.provenance}


def _steps(drive: Drive, subgoal: Subgoal, found: Found) -> list[PlannedStep]:
    with pooled():
        known = evidence_keys(drive.goal.artifact_context_id) | found.inputs.keys()
        try:
            return plans.adapted(spec_of(found.version), drive.goal, known, subgoal.gloss)
        except NotAdaptable:
            return []


def _write(drive: Drive, writer: Writer, subgoal: Subgoal, found: Found, steps: list[PlannedStep]) -> None:
    version = found.version
    for name, value in found.inputs.items():
        make_artifact(writer, name, type="data", value=value, description="read from the task by a model")
    source: dict[str, Any] = {"source": "sop", "sop": version.sop.slug, "version": version.number}
    children = []
    for position, step in enumerate(steps, offspring.first_position(drive, subgoal)):
        children.append(plans.child_of(subgoal, _draft(step), position, {**source, "step": step.step}))
    edges = list(zip(children[1:], children, strict=False))
    offspring.write(drive, writer, subgoal, children, edges, Decomposition.AND, **source)
    sop_uses.start_use(version=version, goal_id=writer.goal.pk)


def _draft(step: PlannedStep) -> SubgoalDraft:
    return SubgoalDraft(
        gloss=(step.description or step.title)[:LONGEST_GLOSS],
        predicate=step.predicate,
        args=step.args,
        operation=step.operation,
        done_when=list(step.done_when),
        tools=list(step.tools),
        evidence_key=step.evidence_key,
    )
