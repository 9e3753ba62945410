"""A verification with its evidence, and a question with its answer."""

from typing import Any

from goals.chat.amounts import duration
from goals.chat.inside.values import row_of, shown
from goals.chat.inside.work import cost, question_deed, verdict
from goals.chat.pieces import Piece, piece
from goals.chat.showing import shown_question
from goals.models import Goal, Question, Verification


def verification(goal: Goal, row_id: Any) -> tuple[str, list[Piece]]:
    """Return the title and the pieces of one run of a verifier."""
    row = row_of(goal, Verification.objects.select_related("checkpoint"), row_id)
    state, mark, tone = verdict(row)
    context = {
        "goal": goal,
        "row": row,
        "base": f"verifications/{row.pk}",
        "state": state,
        "mark": mark,
        "tone": tone,
        "is_sealed": row.checkpoint_id is None and row.digest == goal.verifier_digest,
        "proves": row.pk in {goal.proof_id, row.checkpoint.proof_id if row.checkpoint else None},
        "took": duration(row.seconds),
        "cost": cost(row.cost_usd),
        "spec": shown(row.verifier, "verifier"),
        "reason": shown(row.reason, "reason"),
        "evidence": shown(row.evidence),
        "details": shown(row.details or None, "details"),
    }
    return "Verification", [piece("i-check", "inside/verification.html", context)]


def question(goal: Goal, row_id: Any) -> tuple[str, list[Piece]]:
    """Return the title and the pieces of one question."""
    row = row_of(goal, Question.objects.select_related("subgoal", "answered_by", "goal", "tool_call"), row_id)
    context = {
        "goal": goal,
        "question": shown_question(row),
        "deed": question_deed(row),
        "details": shown(row.details or None, "details"),
        "schema": shown(row.schema),
    }
    return "Question", [piece("i-question", "inside/question.html", context)]


def verification_part(goal: Goal, row_id: Any, name: str) -> Any:
    """Return the whole of what the page cuts: `verifier`, `reason` or `details`."""
    row = row_of(goal, Verification.objects, row_id)
    return {"verifier": row.verifier, "reason": row.reason, "details": row.details}.get(name)


def question_part(goal: Goal, row_id: Any, name: str) -> Any:
    """Return the whole of a question's `details`."""
    return row_of(goal, Question.objects, row_id).details if name == "details" else None
