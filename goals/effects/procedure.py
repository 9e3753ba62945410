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
from goals.models import Checkpoint, Goal
from goals.transitions import Writer
from sops import services as sop_uses
from sops.adaptation import PlannedStep
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


@dataclass(frozen=True)
class Followed:
    """What came of planning by a procedure: it is settled, or why it was refused, or what is proposed."""

    settled: bool = False
    refused: str = ""
    proposal: dict[str, Any] | None = None


def follow(drive: Drive, *, waits: bool = False) -> Followed:
    """Plan the goal by a procedure, if there is one for it; a plan that `waits` is proposed and not written.

    One that was asked for by name and cannot be followed fails the goal: another way is not what its owner wants.
    """
    choice = _chosen(drive)
    if choice is None:
        return Followed()
    with pooled():
        spec = spec_of(choice.version)
        steps, problem = _steps(drive.goal, choice, spec)
    if not problem and not waits:
        with recording(drive, *choice.calls) as writer:
            planning.show(drive, write(writer, choice, steps, spec.verifier))
        return Followed(settled=True)
    with recording(drive, *choice.calls):
        pass
    if not problem:
        return Followed(proposal=_proposal(choice, spec, steps))
    reason = f"the procedure {spec.slug} cannot be followed: {problem}"
    if drive.goal.sop_slug:
        planning.give_up(drive, reason)
        return Followed(settled=True)
    return Followed(refused=reason)


def _proposal(choice: Choice, spec: SopSpec, steps: list[PlannedStep]) -> dict[str, Any]:
    """Return the plan as JSON, with all that `write` needs when it is approved of."""
    return {
        "checkpoints": plans.plain(steps),
        "notes": choice.notes,
        "source": {"source": "sop", "sop": choice.version.sop.slug, "version": choice.version.number},
        "steps": [step.step for step in steps],
        "inputs": choice.stated,
        "verifier": spec.verifier,
    }


def choice_of(proposal: dict[str, Any]) -> tuple[Choice, list[PlannedStep]]:
    """Return what was proposed, as `write` takes it."""
    source = proposal["source"]
    version = SopVersion.objects.select_related("sop").get(sop__slug=source["sop"], number=source["version"])
    numbered = zip(proposal["checkpoints"], proposal["steps"], strict=True)
    steps = [
        PlannedStep(**{**fields, "tools": tuple(fields["tools"]), "done_when": tuple(fields["done_when"])}, step=step)
        for fields, step in numbered
    ]
    return Choice(version, proposal["notes"], stated=proposal["inputs"]), steps


def _steps(goal: Goal, choice: Choice, spec: SopSpec) -> tuple[list[PlannedStep], str]:
    """Return the procedure's steps for this goal, or all that is wrong with them."""
    inputs = choice.stated.keys() | choice.answers(goal).keys()
    known = evidence_keys(goal.artifact_context_id) | inputs
    try:
        steps = plans.adapted(spec, goal, known, goal.objective)
    except NotAdaptable as error:
        return [], str(error)
    return steps, "; ".join(plans.procedure_errors(steps, goal, inputs))


def write(
    writer: Writer, choice: Choice, steps: list[PlannedStep], verifier: dict[str, Any] | None
) -> list[Checkpoint]:
    """Write a procedure's plan, and what is known of its inputs; returns the checkpoints."""
    goal, version = writer.goal, choice.version
    keep_inputs(writer, choice)
    source = {"source": "sop", "sop": version.sop.slug, "version": version.number}
    rows = planning.rows_of(goal, steps, source, goal.iteration_started_at)
    for row, step in zip(rows, steps, strict=True):
        row.provenance = {**source, "step": step.step}
    facts = {"sop_version": version, "plan_notes": choice.notes, **planning.seal(goal, verifier)}
    planning.write_plan(writer, rows, facts, {**source, "notes": choice.notes[:2000]})
    sop_uses.start_use(version=version, goal_id=goal.pk)
    return rows


def keep_inputs(writer: Writer, choice: Choice) -> None:
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
