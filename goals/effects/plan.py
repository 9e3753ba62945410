"""Planning a goal: the organisation's procedure where it has one, else the model; and planning again."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Max

from artifacts.services import evidence_keys
from goals import plans
from goals.connections import pooled
from goals.decisions import Failure, FailureKind, Move
from goals.driver import Drive
from goals.effects import briefing
from goals.effects.calls import Call, ask, recording
from goals.effects.making import make_artifact
from goals.models import Checkpoint, Goal
from goals.states import CheckpointStatus, Kind
from goals.tools import registry
from goals.transitions import Writer
from goals.verifiers.spec import digest
from sops import retrieval
from sops import services as sop_uses
from sops.adaptation import adapt
from sops.exceptions import NotAdaptable
from sops.exporter import spec_of
from sops.models import SopVersion

PLAN_TRIES = 3
LEAST_CONFIDENCE = 0.7
CANDIDATES = 5


def plan(drive: Drive, _goal_id: Any) -> None:
    """Give the goal its checkpoints, from an SOP on the first iteration where one applies, else from the model."""
    if drive.goal.iteration == 1 and _follow_procedure(drive):
        return
    _plan_by_model(drive)


# -- by procedure -----------------------------------------------------------------------------------------------


def _follow_procedure(drive: Drive) -> bool:
    chosen = _chosen(drive)
    if chosen is None:
        return False
    version, inputs, calls, notes = chosen
    inputs = {**inputs, **_optional_answers(drive.goal, version)}
    with pooled():
        spec = spec_of(version)
        known = set(evidence_keys(drive.goal.artifact_context_id)) | set(inputs)
    try:
        steps = adapt(spec, known, set(registry.names()), drive.goal.objective)
    except NotAdaptable as error:
        with recording(drive, *calls):
            pass
        if not drive.goal.sop_slug:
            return False
        drive.fail(drive.goal_id, Failure(FailureKind.PLAN, str(error), retryable=False))
        return True  # it was asked for by name: another way is not what its owner wants
    with recording(drive, *calls) as writer:
        for name, value in inputs.items():
            make_artifact(writer, name, type="data", value=value, description="given in the objective", trust="person")
        provenance = {"source": "sop", "sop": version.sop.slug, "version": version.number}
        rows = [
            plans.checkpoint_of(writer.goal, step, position, position + 1, {**provenance, "step": step.step})
            for position, step in enumerate(steps)
        ]
        facts: dict[str, Any] = {"sop_version": version, "plan_notes": notes}
        facts |= _seal(writer.goal, spec.verifier)
        _write_plan(drive, writer, rows, facts, {**provenance, "notes": notes[:2000]})
        sop_uses.start_use(version=version, goal_id=writer.goal.pk)
    return True


def _chosen(drive: Drive) -> tuple[SopVersion, dict[str, Any], list[Call], str] | None:
    """Return the procedure to follow: the one that was asked for, else the one that a judge finds applicable."""
    goal = drive.goal
    with pooled():
        if goal.sop_version is not None:
            return goal.sop_version, {}, [], f"The procedure {goal.sop_version.sop.slug} was asked for."
        candidates = [c for c in retrieval.search(goal.objective, CANDIDATES) if c.plausible]
        keys = sorted(evidence_keys(goal.artifact_context_id))
        versions = {c.version.sop.slug: c.version for c in candidates}
        told = [{**_told(c.version), "fit": round(c.fit, 3)} for c in candidates]
    if not told:
        return None
    call = ask(
        drive,
        "judge_applicability",
        objective=goal.objective,
        context=goal.context,
        candidates=told,
        evidence=keys,
    )
    said = call.value
    version = versions.get(said.sop or "")
    if version is None or said.confidence < LEAST_CONFIDENCE or said.missing_prerequisites:
        with recording(drive, call):
            pass
        return None
    wanted = {entry["name"] for entry in version.inputs}
    inputs = {name: value for name, value in said.inputs.items() if name in wanted and value is not None}
    return version, inputs, [call], said.reasoning


def _optional_answers(goal: Goal, version: SopVersion) -> dict[str, Any]:
    """Return what the owner said beforehand about inputs that nobody will be asked for."""
    optional = {entry["name"] for entry in version.inputs if not entry.get("required", True)}
    return {key: value for key, value in goal.options.get("answers", {}).items() if key in optional}


def _told(version: SopVersion) -> dict[str, Any]:
    return {
        "slug": version.sop.slug,
        "title": version.title,
        "intent": version.intent,
        "description": version.description,
        "prerequisites": version.prerequisites,
        "inputs": version.inputs,
        "tags": version.tags,
        "outputs": version.outputs,
    }


# -- by the model -----------------------------------------------------------------------------------------------


def _plan_by_model(drive: Drive) -> None:
    goal = drive.goal
    errors: list[str] = []
    for number in range(PLAN_TRIES):
        with pooled():
            artifacts = briefing.artifacts_of(goal)
        call = ask(
            drive,
            "plan_checkpoints",
            number=number,
            objective=goal.objective,
            context=goal.context,
            constraints=goal.constraints,
            tools=briefing.tools_for_plan(),
            artifacts=artifacts,
            max_checkpoints=plans.most_checkpoints(goal),
            errors=errors,
            previous=goal.verdict_reason if goal.iteration > 1 else "",
        )
        if not call.value.checkpoints:
            with recording(drive, call) as writer:
                reason = f"no plan can reach it: {call.value.reasoning}"
                writer.facts(writer.goal, unachievable=reason[:20_000], plan_due=False, attempt=1, **_seal(writer.goal))
            return
        errors = _errors(drive, call)
        if not errors:
            _write_model_plan(drive, call)
            return
        with recording(drive, call):
            pass
    _give_up(drive, errors)


def _errors(drive: Drive, call: Call) -> list[str]:
    with pooled():
        return plans.checkpoint_errors(call.value.checkpoints, drive.goal, registry.names())


def _give_up(drive: Drive, errors: list[str]) -> None:
    drive.fail(drive.goal_id, Failure(FailureKind.PLAN, "no valid plan: " + "; ".join(errors), retryable=False))


def _write_model_plan(drive: Drive, call: Call) -> None:
    with recording(drive, call) as writer:
        rows = _rows(writer.goal, call.value.checkpoints)
        facts: dict[str, Any] = {"plan_notes": call.value.reasoning, **_seal(writer.goal)}
        _write_plan(drive, writer, rows, facts, {"source": "model", "notes": call.value.reasoning[:2000]})


def _rows(goal: Goal, drafts: Sequence[Any]) -> list[Checkpoint]:
    last = Checkpoint.objects.filter(goal=goal).aggregate(last=Max("position"))["last"]
    first = 0 if last is None else last + 1
    provenance = {"source": "model"}
    return [
        plans.checkpoint_of(goal, draft, first + offset, first + offset + 1, provenance)
        for offset, draft in enumerate(drafts)
    ]


def _seal(goal: Goal, verifier: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the facts that seal a verifier for a goal whose owner set none: the procedure's, else a judge."""
    if goal.verifier is not None:
        return {}
    chosen = verifier or {"type": "llm"}
    return {"verifier": chosen, "verifier_digest": digest(chosen)}


def _write_plan(
    drive: Drive, writer: Writer, rows: list[Checkpoint], facts: dict[str, Any], about: dict[str, Any]
) -> None:
    Checkpoint.objects.bulk_create(rows)
    writer.know(*rows)
    drive.picture.checkpoints = {row.pk: row for row in rows[:2]}
    writer.facts(writer.goal, plan_due=False, attempt=1, **facts)
    writer.event("goal.planned", {**about, "checkpoints": listed(rows), "verifier_digest": writer.goal.verifier_digest})


def listed(rows: Sequence[Checkpoint]) -> list[dict[str, Any]]:
    return [{"checkpoint": str(row.pk), "position": row.position, "title": row.title} for row in rows]


# -- again ------------------------------------------------------------------------------------------------------


def revise(drive: Drive, _goal_id: Any) -> None:
    """Plan what remains anew, keeping what is completed; no plan at all means that the goal cannot be reached."""
    goal = drive.goal
    errors: list[str] = []
    for number in range(PLAN_TRIES):
        with pooled():
            told = {
                "artifacts": briefing.artifacts_of(goal),
                "completed": briefing.completed_of(goal),
                "remaining": briefing.remaining_of(goal),
            }
        call = ask(
            drive,
            "revise_plan",
            number=number,
            objective=goal.objective,
            context=goal.context,
            constraints=goal.constraints,
            tools=briefing.tools_for_plan(),
            reason=goal.revise_reason,
            steering=briefing.steering_of(goal),
            errors=errors,
            max_checkpoints=plans.most_checkpoints(goal),
            **told,
        )
        errors = _errors(drive, call) if call.value.checkpoints else []
        if not errors:
            _write_revision(drive, call)
            return
        with recording(drive, call):
            pass
    _give_up(drive, errors)


def _write_revision(drive: Drive, call: Call) -> None:
    said = call.value
    with recording(drive, call) as writer:
        goal = writer.goal
        if not said.checkpoints:
            reason = f"{goal.revise_reason.rstrip('.')}; no other way was found: {said.reasoning}"
            writer.facts(goal, unachievable=reason[:20_000], revise_reason="", verdict="", attempt=1)
            return
        dropped = list(Checkpoint.objects.filter(goal=goal, status=CheckpointStatus.PENDING))
        writer.know(*dropped)
        for row in dropped:
            writer.move(Move(Kind.CHECKPOINT, row.pk, row.status, CheckpointStatus.SKIPPED))
        writer.facts(goal, revision=goal.revision + 1, revise_reason="", attempt=1, plan_notes=said.reasoning)
        rows = _rows(goal, said.checkpoints)
        Checkpoint.objects.bulk_create(rows)
        writer.know(*rows)
        drive.picture.checkpoints = {row.pk: row for row in rows[:2]}
        about = {"revision": goal.revision, "reason": said.reasoning[:2000], "dropped": listed(dropped)}
        writer.event("goal.revised", {**about, "checkpoints": listed(rows)})
