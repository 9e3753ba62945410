"""Between checkpoints: a rolling summary for a fresh start, and a look at the progress."""

from typing import Any

from goals import progress
from goals.connections import pooled
from goals.driver import Drive
from goals.effects import briefing
from goals.effects.calls import ask, recording
from goals.effects.ledger import lines_of
from goals.models import Checkpoint
from goals.progress import Evaluation
from goals.states import CheckpointStatus

LONGEST_SUMMARY = 8_000


def summarise(drive: Drive, _goal_id: Any) -> None:
    """Compress what the last checkpoint brought into the goal's rolling summary."""
    goal = drive.goal
    last = _last_completed(drive)
    call = ask(
        drive,
        "summarise_context",
        last,
        objective=goal.objective,
        summary=goal.summary,
        checkpoint=briefing.checkpoint_of(last) if last else {},
        results=last.result_summary if last else "",
    )
    with recording(drive, call) as writer:
        writer.facts(writer.goal, summary=call.value.summary[:LONGEST_SUMMARY], summary_due=False, attempt=1)


def _last_completed(drive: Drive) -> Checkpoint | None:
    """Return the checkpoint that was completed last; as a rule the picture still shows it."""
    shown = [c for c in drive.picture.checkpoints.values() if c.status == CheckpointStatus.COMPLETED]
    if shown:
        return max(shown, key=lambda checkpoint: checkpoint.position)
    with pooled():
        completed = Checkpoint.objects.filter(goal=drive.goal, status=CheckpointStatus.COMPLETED)
        return completed.order_by("-finished_at").first()


def evaluate(drive: Drive, _goal_id: Any) -> None:
    """Ask whether the goal is on its way; a goal that asks for another plan three times in a row is paused."""
    goal = drive.goal
    with pooled():
        told = {"completed": briefing.completed_of(goal), "remaining": briefing.remaining_of(goal)}
        spent = {line.resource.value: str(line.used) for line in lines_of(goal)}
    call = ask(drive, "evaluate_progress", objective=goal.objective, summary=goal.summary, spent=spent, **told)
    said = call.value
    evaluation = Evaluation(said.on_track, said.revise, said.score)
    with recording(drive, call) as writer:
        facts: dict[str, Any] = {
            "since_evaluation": 0,
            "attempt": 1,
            "revise_streak": progress.next_streak(writer.goal.revise_streak, evaluation),
        }
        if said.revise:
            facts["revise_reason"] = said.reasoning or "the evaluation asked for another plan"
        writer.facts(writer.goal, **facts)
