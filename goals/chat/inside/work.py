"""What was done for a node, in the order in which it was begun: calls, checks and questions, each by one line."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Q, Sum

from goals.chat.amounts import duration
from goals.models import Goal, ModelCall, Question, ToolCall, Verification
from goals.states import EffectStatus, QuestionStatus

MOST = 100  # of each kind
PURPOSES = {
    "judge_applicability": "Choose a procedure",
    "plan_checkpoints": "Make a plan",
    "revise_plan": "Revise the plan",
    "atomize": "Do it, or divide it?",
    "plan_subgoals": "Divide it into parts",
    "act": "Work",
    "gather_question": "Word a question",
    "check_condition": "Check a condition",
    "judge_outcome": "Judge the outcome",
    "aggregate": "Put the parts together",
    "summarise_context": "Summarise",
    "evaluate_progress": "Evaluate the progress",
    "distil_sop": "Draft a procedure",
}
MARKS = {"succeeded": "check", "failed": "cross", "unknown": "ask", "intended": "dot"}


@dataclass(frozen=True)
class Deed:
    """One line: `see` is the address below the goal's, `tone` the state that its mark shows."""

    at: datetime
    kind: str
    title: str
    see: str
    state: str
    mark: str
    tone: str
    attempt: int = 1
    took: str = ""
    detail: str = ""


def work_of(goal: Goal, of: Q, questions: Q | None = None, checks: Q | None = None) -> list[Deed]:
    """Return the latest of each kind, oldest first; `of` chooses the calls."""
    models = ModelCall.objects.filter(of, goal=goal).defer("request", "response")
    tools = ToolCall.objects.filter(of, goal=goal).defer("request", "response")
    found = [model_deed(row) for row in models.order_by("-created_at")[:MOST]]
    found += [tool_deed(row) for row in tools.order_by("-created_at")[:MOST]]
    if questions is not None:
        found += [
            question_deed(row) for row in Question.objects.filter(questions, goal=goal).order_by("-created_at")[:MOST]
        ]
    if checks is not None:
        found += [
            check_deed(row) for row in Verification.objects.filter(checks, goal=goal).order_by("-created_at")[:MOST]
        ]
    return sorted(found, key=lambda deed: deed.at)


def spent(goal: Goal, of: Q) -> dict[str, Any]:
    """Return what the calls took in all: cost, tokens, how many of each."""
    total = ModelCall.objects.filter(of, goal=goal).aggregate(
        cost=Sum("cost_usd"), tokens=Sum("input_tokens") + Sum("output_tokens")
    )
    return {"cost": cost(total["cost"] or Decimal(0)), "tokens": f"{total['tokens'] or 0:,}"}


def purpose(name: str) -> str:
    """Return what a model was called for, in words."""
    return PURPOSES.get(name, name.replace("_", " ").capitalize())


def cost(usd: Decimal) -> str:
    """Return dollars as a person reads them; nothing for nothing."""
    return "" if not usd else f"${usd:,.2f}" if usd >= 1 else f"${usd:.4f}"


def model_deed(row: ModelCall) -> Deed:
    detail = f"{row.input_tokens + row.output_tokens:,} tokens" if row.input_tokens else ""
    return _call(
        row,
        "model call",
        purpose(row.purpose),
        f"model-calls/{row.pk}",
        " · ".join(filter(None, [detail, cost(row.cost_usd)])),
    )


def tool_deed(row: ToolCall) -> Deed:
    return _call(row, "tool call", row.tool, f"tool-calls/{row.pk}", row.error[:200] or row.summary[:200])


def check_deed(row: Verification) -> Deed:
    state, mark, tone = verdict(row)
    began = row.created_at - timedelta(seconds=row.seconds)
    took = duration(row.seconds) if row.seconds >= 0.05 else ""
    title = f"Verified: {row.verifier.get('type', 'check')}" if isinstance(row.verifier, dict) else "Verified"
    return Deed(
        began, "verification", title, f"verifications/{row.pk}", state, mark, tone, row.attempt, took, row.reason[:200]
    )


def question_deed(row: Question) -> Deed:
    words = {QuestionStatus.OPEN: "open", QuestionStatus.ANSWERED: "answered", QuestionStatus.WITHDRAWN: "withdrawn"}
    mark = {QuestionStatus.OPEN: "ask", QuestionStatus.ANSWERED: "check"}.get(QuestionStatus(row.status), "skip")
    tone = {QuestionStatus.OPEN: "waiting", QuestionStatus.ANSWERED: "achieved"}.get(QuestionStatus(row.status), "")
    took = duration((row.closed_at - row.created_at).total_seconds()) if row.closed_at else ""
    state = words[QuestionStatus(row.status)]
    return Deed(
        row.created_at,
        "question",
        "Asked",
        f"questions/{row.pk}",
        state,
        mark,
        tone,
        took=took,
        detail=row.prompt[:200],
    )


def verdict(row: Verification) -> tuple[str, str, str]:
    """Return what a verification said in a word, its mark and its tone."""
    if row.error:
        return "broken", "cross", "failed"
    return ("met", "check", "achieved") if row.met else ("not met", "cross", "failed")


def effect_tone(status: str) -> str:
    return {EffectStatus.SUCCEEDED: "achieved", EffectStatus.FAILED: "failed", EffectStatus.UNKNOWN: "waiting"}.get(
        EffectStatus(status), "active"
    )


def _call(row: ModelCall | ToolCall, kind: str, title: str, see: str, detail: str) -> Deed:
    took = duration(max(0.1, row.seconds)) if row.is_settled else ""
    state = "in flight" if row.status == EffectStatus.INTENDED else row.status
    tone = effect_tone(row.status)
    return Deed(row.created_at, kind, title, see, state, MARKS[row.status], tone, row.attempt, took, detail)
