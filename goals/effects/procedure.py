"""Planning by procedure: the one that was asked for, or one that a judge finds applicable (DESIGN section 5)."""

from dataclasses import dataclass, field
from typing import Any

from artifacts.services import evidence_keys
from goals import plans
from goals.connections import pooled
from goals.driver import Drive
from goals.effects import planning, said
from goals.effects.applicable import find
from goals.effects.calls import Call, recording
from goals.effects.making import make_artifact
from goals.models import Goal
from goals.tools import registry
from goals.transitions import Writer
from sops import services as sop_uses
from sops.adaptation import PlannedStep, adapt
from sops.exceptions import NotAdaptable
from sops.exporter import spec_of
from sops.models import SopVersion
from sops.schema import SopSpec


@dataclass
class Choice:
    """A procedure to follow, the judge's call that found it, and what is known of its inputs."""

    version: SopVersion
    notes: str
    calls: list[Call] = field(default_factory=list)
    stated: dict[str, Any] = field(default_factory=dict)

    def answers(self, goal: Goal) -> dict[str, Any]:
        """What the owner said beforehand about inputs that nobody will be asked for."""
        optional = {entry["name"] for entry in self.version.inputs if not entry.get("required", True)}
        return {key: value for key, value in goal.options.get("answers", {}).items() if key in optional}


def follow(drive: Drive) -> tuple[bool, str]:
    """Plan the goal by a procedure; returns whether that is settled, and why the chosen one could not be followed.

    One that was asked for by name and cannot be followed fails the goal: another way is not what its owner wants.
    """
    choice = _chosen(drive)
    if choice is None:
        return False, ""
    with pooled():
        spec = spec_of(choice.version)
        steps, problem = _steps(drive.goal, choice, spec)
    if not problem:
        with recording(drive, *choice.calls) as writer:
            _write(drive, writer, choice, spec, steps)
        return True, ""
    with recording(drive, *choice.calls):
        pass
    reason = f"the procedure {spec.slug} cannot be followed: {problem}"
    if drive.goal.sop_slug:
        planning.give_up(drive, reason)
        return True, ""
    return False, reason


def _steps(goal: Goal, choice: Choice, spec: SopSpec) -> tuple[list[PlannedStep], str]:
    """Return the procedure's steps for this goal, or all that is wrong with them."""
    inputs = choice.stated.keys() | choice.answers(goal).keys()
    known = evidence_keys(goal.artifact_context_id) | inputs
    try:
        steps = adapt(spec, known, set(registry.names()), goal.objective)
    except NotAdaptable as error:
        return [], str(error)
    return steps, "; ".join(plans.procedure_errors(steps, goal, inputs))


def _write(drive: Drive, writer: Writer, choice: Choice, spec: SopSpec, steps: list[PlannedStep]) -> None:
    goal, version = writer.goal, choice.version
    _keep_inputs(writer, choice)
    source = {"source": "sop", "sop": version.sop.slug, "version": version.number}
    rows = planning.rows_of(goal, steps, source, goal.iteration_started_at)
    for row, step in zip(rows, steps, strict=True):
        row.provenance = {**source, "step": step.step}
    facts = {"sop_version": version, "plan_notes": choice.notes, **planning.seal(goal, spec.verifier)}
    planning.write_plan(drive, writer, rows, facts, {**source, "notes": choice.notes[:2000]})
    sop_uses.start_use(version=version, goal_id=goal.pk)


def _keep_inputs(writer: Writer, choice: Choice) -> None:
    """Make evidence of the inputs: a value that a model read is a person's word only where the objective says it."""
    answers = choice.answers(writer.goal)
    for name, value in {**choice.stated, **answers}.items():
        if name in answers:
            trust, description = "person", "said beforehand by the owner"
        elif said.says(writer.goal.objective, value):
            trust, description = "person", "given in the objective"
        else:
            trust, description = "trusted", "read from the objective by a model"
        make_artifact(writer, name, type="data", value=value, description=description, trust=trust)


def _chosen(drive: Drive) -> Choice | None:
    goal = drive.goal
    with pooled():
        if goal.sop_version is not None:
            return Choice(goal.sop_version, f"The procedure {goal.sop_version.sop.slug} was asked for.")
    found, call = find(drive, goal.objective, goal.context)
    if found is not None and call is not None:
        return Choice(found.version, found.notes, [call], found.inputs)
    if call is not None:
        with recording(drive, call):
            pass
    return None
