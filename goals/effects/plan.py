"""Planning a goal: the organisation's procedure where it has one, else the model; and planning again."""

from typing import Any

from goals import plans
from goals.connections import pooled
from goals.decisions import Move
from goals.driver import Drive
from goals.effects import briefing, planning, procedure
from goals.effects.calls import Call, ask, recording
from goals.models import Checkpoint, Goal
from goals.states import CheckpointStatus, Kind

PLAN_TRIES = 3


def plan(drive: Drive, _goal_id: Any) -> None:
    """Give the goal its checkpoints, from an SOP on the first iteration where one applies, else from the model."""
    settled, refused = procedure.follow(drive) if drive.goal.iteration == 1 else (False, "")
    if not settled:
        _plan_by_model(drive, refused)


def _plan_by_model(drive: Drive, refused: str) -> None:
    """`refused` says why a procedure that fits could not be followed; it goes into the plan's notes."""
    goal = drive.goal
    errors: list[str] = []
    for number in range(PLAN_TRIES):
        words = goal.words
        with pooled():
            artifacts = briefing.artifacts_of(goal)
            provenance = _provenance(goal)
        call = ask(
            drive,
            "plan_checkpoints",
            number=number,
            objective=goal.objective,
            context=goal.context,
            constraints=goal.constraints,
            tools=briefing.tools_for_plan(),
            artifacts=artifacts,
            steering=briefing.steering_of(goal),
            max_checkpoints=plans.most_checkpoints(goal),
            errors=errors,
            previous=goal.verdict_reason if goal.iteration > 1 else "",
        )
        if not call.value.checkpoints:
            with recording(drive, call) as writer:
                goal, reason = writer.goal, f"no plan can reach it: {call.value.reasoning}"
                facts = {"unachievable": reason[:20_000], "plan_due": False, "attempt": 1, "words_heard": words}
                writer.facts(goal, **facts, **planning.seal(goal))
            return
        errors = _errors(drive, call)
        if not errors:
            _write_model_plan(drive, call, provenance, refused, words)
            return
        with recording(drive, call):
            pass
    planning.give_up(drive, "no valid plan: " + "; ".join(errors))


def _errors(drive: Drive, call: Call) -> list[str]:
    with pooled():
        return plans.checkpoint_errors(call.value.checkpoints, drive.goal)


def _provenance(goal: Goal) -> dict[str, Any]:
    """Return what a plan says of its source; a planner that was shown content from outside may repeat it."""
    return {"source": "model", "untrusted": True} if briefing.carries_outside(goal) else {"source": "model"}


def _write_model_plan(drive: Drive, call: Call, provenance: dict[str, Any], refused: str, words: int) -> None:
    """Write the plan, which was made knowing the first `words` words of steering."""
    notes = "\n\n".join(text for text in (refused, call.value.reasoning) if text)
    with recording(drive, call) as writer:
        goal = writer.goal
        rows = planning.rows_of(goal, call.value.checkpoints, provenance, goal.iteration_started_at)
        facts: dict[str, Any] = {"plan_notes": notes, "words_heard": words, **planning.seal(goal)}
        planning.write_plan(drive, writer, rows, facts, {"source": "model", "notes": notes[:2000]})


def revise(drive: Drive, _goal_id: Any) -> None:
    """Plan what remains anew, keeping what is completed; no plan at all means that the goal cannot be reached."""
    errors: list[str] = []
    for number in range(PLAN_TRIES):
        goal = drive.goal
        reason, words = goal.revise_reason, goal.words
        with pooled():
            told = {
                "artifacts": briefing.artifacts_of(goal),
                "completed": briefing.completed_of(goal),
                "remaining": briefing.remaining_of(goal),
            }
            provenance = _provenance(goal)
        call = ask(
            drive,
            "revise_plan",
            number=number,
            objective=goal.objective,
            context=goal.context,
            constraints=goal.constraints,
            tools=briefing.tools_for_plan(),
            reason=reason,
            steering=briefing.steering_of(goal),
            errors=errors,
            max_checkpoints=plans.most_checkpoints(goal),
            **told,
        )
        errors = _errors(drive, call) if call.value.checkpoints else []
        if not errors:
            _write_revision(drive, call, provenance, reason, words)
            return
        with recording(drive, call):
            pass
    planning.give_up(drive, "no valid plan: " + "; ".join(errors))


def _write_revision(drive: Drive, call: Call, provenance: dict[str, Any], reason: str, words: int) -> None:
    """Replace what is pending; what was made so far counts for the new steps only where it is of completed ones.

    The plan was made for this `reason`, knowing the first `words` words of steering.
    """
    said = call.value
    with recording(drive, call) as writer:
        goal = writer.goal
        asked_again = goal.revise_reason if goal.revise_reason != reason else ""
        writer.facts(goal, revise_reason=asked_again, words_heard=words, attempt=1)
        if not said.checkpoints:
            none = f"{reason.rstrip('.')}; no other way was found: {said.reasoning}"
            writer.facts(goal, unachievable="" if asked_again else none[:20_000], verdict="")
            return
        dropped = list(Checkpoint.objects.filter(goal=goal, status=CheckpointStatus.PENDING))
        writer.know(*dropped)
        for row in dropped:
            writer.move(Move(Kind.CHECKPOINT, row.pk, row.status, CheckpointStatus.SKIPPED))
        writer.facts(goal, revision=goal.revision + 1, plan_notes=said.reasoning)
        rows = planning.rows_of(goal, said.checkpoints, provenance, writer.now)
        planning.insert(drive, writer, rows)
        about = {"revision": goal.revision, "reason": said.reasoning[:2000], "dropped": planning.listed(dropped)}
        writer.event("goal.revised", {**about, "checkpoints": planning.listed(rows)})
