"""When what ran: the calls, checks and questions of a goal in time, and when it rested. Six statements in all.

Times are seconds since `began` (an ISO time); a bar that has not ended has no `to`.
"""

from datetime import datetime
from typing import Any

from django.db.models import Case, OuterRef, Subquery, When

from goals.chat.inside.work import purpose
from goals.models import Event, Goal, ModelCall, Question, ToolCall, Verification
from goals.states import QuestionStatus

MOST = 5_000  # of each kind
LONGEST_TITLE = 200
RESTS = {"goal.waiting": "waiting", "goal.paused": "paused"}
TURNS = [f"goal.{verb}" for verb in ("waiting", "started", "resumed", "rearmed", "completed", "failed", "cancelled")]
# What happens while a goal waits, and does not end its wait.
MEANWHILE = [
    "message.created",
    "question.asked",
    "question.reminded",
    "goal.steered",
    "goal.limits_changed",
    "goal.verifier_changed",
    "goal.reassigned",
    "goal.policy_changed",
    "goal.watch_changed",
    "subgoal.waiting",
    "webhook.disabled",
]


def moments_of(goal: Goal) -> dict[str, Any]:
    """Return `{began, seq, ended, cut, lanes, bars, rests}`; a lane is a checkpoint, the first is the goal itself."""
    clock = _Clock(goal.created_at)
    bars = [*_models(goal, clock), *_tools(goal, clock), *_checks(goal, clock), *_questions(goal, clock)]
    lanes = [{"id": str(pk), "title": title} for pk, title in goal.checkpoints.values_list("pk", "title")[:MOST]]
    return {
        "began": goal.created_at.isoformat(),
        "seq": goal.seq,
        "ended": clock.at(goal.finished_at),
        "cut": len(bars) >= MOST,
        "lanes": [{"id": "", "title": "The goal"}, *lanes],
        "bars": sorted(bars, key=lambda bar: bar["from"]),
        "rests": _rests(goal, clock),
    }


class _Clock:
    """Says times as seconds since the goal was made."""

    def __init__(self, zero: datetime) -> None:
        self.zero = zero

    def at(self, moment: datetime | None) -> float | None:
        return None if moment is None else max(0.0, round((moment - self.zero).total_seconds(), 3))


def _bar(
    clock: _Clock, kind: str, title: str, began: Any, ended: Any, state: str, see: str, lane: Any
) -> dict[str, Any]:
    return {
        "kind": kind,
        "title": title[:LONGEST_TITLE],
        "from": clock.at(began),
        "to": clock.at(ended),
        "state": state,
        "see": see,
        "lane": str(lane or ""),
    }


def _models(goal: Goal, clock: _Clock) -> list[dict[str, Any]]:
    rows = ModelCall.objects.filter(goal=goal).order_by("-created_at")
    found = rows.values_list("pk", "purpose", "created_at", "finished_at", "status", "checkpoint_id")[:MOST]
    return [
        _bar(clock, "model", purpose(name), began, ended, status, f"model-calls/{pk}", lane)
        for pk, name, began, ended, status, lane in found
    ]


def _tools(goal: Goal, clock: _Clock) -> list[dict[str, Any]]:
    rows = ToolCall.objects.filter(goal=goal).exclude(tool="verifier").order_by("-created_at")
    found = rows.values_list("pk", "tool", "created_at", "finished_at", "status", "checkpoint_id")[:MOST]
    return [
        _bar(clock, "tool", tool, began, ended, status, f"tool-calls/{pk}", lane)
        for pk, tool, began, ended, status, lane in found
    ]


def _checks(goal: Goal, clock: _Clock) -> list[dict[str, Any]]:
    rows = Verification.objects.filter(goal=goal).order_by("-created_at")
    found = rows.values("pk", "created_at", "seconds", "met", "error", "reason", "checkpoint_id")[:MOST]
    bars = []
    for row in found:
        state = "broken" if row["error"] else "met" if row["met"] else "not met"
        title = f"Verified: {row['reason'] or row['error']}"
        bar = _bar(
            clock,
            "check",
            title,
            row["created_at"],
            row["created_at"],
            state,
            f"verifications/{row['pk']}",
            row["checkpoint_id"],
        )
        bars.append({**bar, "from": max(0.0, round(bar["to"] - row["seconds"], 3))})
    return bars


def _questions(goal: Goal, clock: _Clock) -> list[dict[str, Any]]:
    rows = Question.objects.filter(goal=goal).order_by("-created_at")
    found = rows.values_list("pk", "prompt", "created_at", "closed_at", "status", "subgoal__checkpoint_id")[:MOST]
    words = {QuestionStatus.OPEN: "open", QuestionStatus.ANSWERED: "answered", QuestionStatus.WITHDRAWN: "withdrawn"}
    return [
        _bar(clock, "question", prompt, began, ended, words[QuestionStatus(status)], f"questions/{pk}", lane)
        for pk, prompt, began, ended, status, lane in found
    ]


def _rests(goal: Goal, clock: _Clock) -> list[dict[str, Any]]:
    """Return when the goal waited or was paused: a wait ends as anything goes on, a pause as the goal goes on."""
    later = Event.objects.filter(goal=goal, seq__gt=OuterRef("seq")).order_by("seq").values("at")
    rows = Event.objects.filter(goal=goal, kind__in=RESTS).annotate(
        until=Case(
            When(kind="goal.paused", then=Subquery(later.filter(kind__in=TURNS)[:1])),
            default=Subquery(later.exclude(kind__in=MEANWHILE)[:1]),
        )
    )
    found = rows.order_by("seq").values_list("kind", "at", "until")[:MOST]
    return [
        {"why": RESTS[kind], "from": clock.at(at), "to": clock.at(until or goal.finished_at)}
        for kind, at, until in found
    ]
