"""Planning a goal: the organisation's procedure where it has one, else the model; and planning again."""

from typing import Any

from goals import plans
from goals.driver import Drive
from goals.effects import approval, briefing, planning, procedure
from goals.effects.calls import recording
from goals.effects.drafting import Draft, draft
from goals.models import Goal


def plan(drive: Drive, _goal_id: Any) -> None:
    """Give the goal its checkpoints, from an SOP on the first iteration where one applies, else from the model.

    Where its owner wants to approve of plans, they wait as a question instead.
    """
    goal, waits = drive.goal, approval.is_wanted(drive.goal)
    followed = procedure.Followed()
    if goal.iteration == 1 and not goal.plan_remarks:
        followed = procedure.follow(drive, waits=waits)
        if followed.settled:
            return
    if waits:
        found = approval.propose(drive, "plan_checkpoints", _told, followed)
    else:
        found = draft(drive, "plan_checkpoints", _told)
    if found is not None:
        _carry_on(drive, found, followed.refused)


def _told(goal: Goal) -> dict[str, Any]:
    return {**_wanted(goal), "previous": goal.verdict_reason if goal.iteration > 1 else ""}


def _wanted(goal: Goal) -> dict[str, Any]:
    """Return what every planner of a goal is told."""
    return {
        "objective": goal.objective,
        "context": goal.context,
        "constraints": goal.constraints,
        "tools": briefing.tools_for_plan(goal),
        "artifacts": briefing.artifacts_of(goal),
        "max_checkpoints": plans.most_checkpoints(goal),
        "steering": briefing.wishes_of(goal),
        "done_outside": briefing.done_outside(goal),
    }


def _carry_on(drive: Drive, found: Draft, refused: str) -> None:
    """Write the model's plan; `refused` says why a procedure that fits could not be followed."""
    said = found.call.value
    if found.errors:
        planning.give_up(drive, "no valid plan: " + "; ".join(found.errors))
        return
    with recording(drive, found.call) as writer:
        goal = writer.goal
        if not said.checkpoints:
            reason = f"no plan can reach it: {said.reasoning}"
            facts = {"unachievable": reason[:20_000], "plan_due": False, "attempt": 1, "words_heard": found.words}
            writer.facts(goal, **facts, **planning.seal(goal))
            return
        notes = "\n\n".join(text for text in (refused, said.reasoning) if text)
        rows = planning.rows_of(goal, said.checkpoints, found.provenance, goal.iteration_started_at)
        facts = {"plan_notes": notes, "words_heard": found.words, **planning.seal(goal)}
        planning.write_plan(writer, rows, facts, {"source": "model", "notes": notes[:2000]})
        planning.show(drive, rows)


def revise(drive: Drive, _goal_id: Any) -> None:
    """Plan what remains anew, keeping what is completed; no plan at all means that the goal cannot be reached."""
    if approval.is_wanted(drive.goal):
        found = approval.propose(drive, "revise_plan", _told_of_revision)
    else:
        found = draft(drive, "revise_plan", _told_of_revision)
    if found is None:
        return
    if found.errors:
        planning.give_up(drive, "no valid plan: " + "; ".join(found.errors))
        return
    said = found.call.value
    with recording(drive, found.call) as writer:
        planning.hear(writer, found.reason, found.words)
        if not said.checkpoints:
            none = f"{found.reason.rstrip('.')}; no other way was found: {said.reasoning}"
            writer.facts(writer.goal, unachievable="" if writer.goal.revise_reason else none[:20_000], verdict="")
            return
        planning.show(drive, planning.write_revision(writer, said.checkpoints, found.provenance, said.reasoning))


def _told_of_revision(goal: Goal) -> dict[str, Any]:
    return {
        **_wanted(goal),
        "completed": briefing.completed_of(goal),
        "remaining": briefing.remaining_of(goal),
        "reason": goal.revise_reason,
    }
