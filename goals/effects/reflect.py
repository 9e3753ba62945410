"""Between checkpoints: a rolling summary for a fresh start, and a look at the progress."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings

from goals import progress
from goals.connections import pooled
from goals.driver import Drive
from goals.effects import briefing
from goals.effects.calls import ask, recording
from goals.effects.ledger import lines_of
from goals.models import Checkpoint, ProgressScore
from goals.progress import Evaluation, Point
from goals.states import CheckpointStatus, Resource

LONGEST_SUMMARY = 8_000
EARLIER_SCORES = 50


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
    """Ask whether the goal is on its way and does what people said; keep the score with what was spent so far.

    Too many requests for another plan in a row, or too little gained for the money, pause the goal (`progress.py`).
    """
    goal, last = drive.goal, _last_completed(drive)
    words, asked = goal.words, goal.words > goal.words_heard
    with pooled():
        told = {"completed": briefing.completed_of(goal), "remaining": briefing.remaining_of(goal)}
        spent = {line.resource.value: str(line.used) for line in lines_of(goal)}
        earlier = list(ProgressScore.objects.filter(goal=goal).order_by("-at")[:EARLIER_SCORES])[::-1]
    told["earlier"] = [{"score": score.score, "cost_usd": str(score.cost_usd)} for score in earlier]
    told |= {"objective": goal.objective, "summary": goal.summary, "steering": briefing.steering_of(goal)}
    call = ask(drive, "evaluate_progress", spent=spent, **told)
    said = call.value
    evaluation = Evaluation(said.on_track, said.revise, said.score, asked)
    with recording(drive, call) as writer:
        score = _score(drive, said, last, spent, writer.now)
        writer.insert(score)
        points = [Point(row.score, row.cost_usd) for row in [*earlier, score]]
        facts: dict[str, Any] = {
            "since_evaluation": 0,
            "attempt": 1,
            "revise_streak": progress.next_streak(writer.goal.revise_streak, evaluation),
            "dear_streak": progress.next_dear_streak(
                writer.goal.dear_streak, points, settings.GOALSITE_MIN_PROGRESS_PER_USD
            ),
            "words_heard": words,
        }
        if said.revise and not writer.goal.revise_reason:
            facts["revise_reason"] = said.reasoning or "the evaluation asked for another plan"
        if said.revise and asked:
            facts |= {"asked_revisions": writer.goal.asked_revisions + 1, "unachievable": ""}
        writer.facts(writer.goal, **facts)


def _score(drive: Drive, said: Any, last: Checkpoint | None, spent: dict[str, str], now: datetime) -> ProgressScore:
    return ProgressScore(
        goal=drive.goal,
        position=last.position if last else None,
        score=said.score,
        on_track=said.on_track,
        revise=said.revise,
        reasoning=said.reasoning,
        cost_usd=Decimal(spent[Resource.COST_USD]),
        tokens=int(Decimal(spent[Resource.TOKENS])),
        at=now,
    )
