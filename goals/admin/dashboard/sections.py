"""The dashboard's lists: some rows of each, how many there are, and the list that has them all."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.urls import reverse
from django.utils import timezone

from goals import attention
from goals.admin.show import page, short
from goals.chat.amounts import amount
from goals.chat.meters import NAMES
from goals.chat.standing import PAUSED
from goals.models import Budget, Checkpoint, Goal, Question
from goals.states import CheckpointStatus, GoalStatus, PauseReason, Resource

MOST_ROWS = 6
MOST_COUNTED = 1000
LATELY = timedelta(days=1)


@dataclass(frozen=True)
class Row:
    """One line: where it leads, what it says, since when, and how full a budget is (0 to 100)."""

    address: str
    title: str
    words: str = ""
    since: datetime | None = None
    share: int | None = None


@dataclass(frozen=True)
class Section:
    """`count` is exact up to `MOST_COUNTED`; `parts` are its reasons, each with its own list."""

    name: str
    title: str
    nothing: str
    address: str
    count: int
    rows: list[Row] = field(default_factory=list)
    parts: list[tuple[str, int, str]] = field(default_factory=list)
    icon: str = ""

    @property
    def counted(self) -> str:
        return f"{MOST_COUNTED:,}+" if self.count > MOST_COUNTED else f"{self.count:,}"

    @property
    def has_more(self) -> bool:
        return self.count > len(self.rows)


def sections(user: Any) -> list[Section]:
    """Return what needs a person, the most urgent first."""
    goals = Goal.objects.owned_by(user)
    return [_questions(user), _stuck(goals), _failing(goals), _failed(goals), _paused(goals), _near_budget(goals)]


def goals_list(**query: str) -> str:
    return _list("goal", **query)


def _list(model: str, **query: str) -> str:
    return reverse(f"admin:goals_{model}_changelist", query=query)


def _counted(rows: QuerySet) -> int:
    return rows.order_by().values("pk")[: MOST_COUNTED + 1].count()


def _questions(user: Any) -> Section:
    waiting = Question.objects.open().visible_to(user)
    rows = waiting.select_related("goal__owner").order_by("created_at")[:MOST_ROWS]
    shown = [
        Row(page(row), short(row.prompt), f"{row.kind} · {short(str(row.goal), 60)} · {row.goal.owner}", row.created_at)
        for row in rows
    ]
    nothing = "Nobody is waited for."
    return Section(
        "questions", "Questions and approvals", nothing, _list("question"), _counted(waiting), shown, icon="help"
    )


def _of_goals(
    name: str,
    title: str,
    nothing: str,
    rows: QuerySet[Goal],
    query: dict[str, str],
    words: Callable[[Any], str],
    icon: str,
    told: QuerySet[Goal] | None = None,
) -> Section:
    """Return a section of goals, the latest first; since when is when their history was last written."""
    found = list(rows.order_by().values_list("pk", flat=True)[: MOST_COUNTED + 1])
    latest = sorted(found, reverse=True)[:MOST_ROWS]  # keys sort by time
    told = (Goal.objects.all() if told is None else told).filter(pk__in=latest).select_related("owner")
    shown = told.annotate(last_at=attention.last_at()).order_by("-pk")
    lines = [Row(page(goal), short(str(goal)), words(goal), goal.last_at) for goal in shown]
    return Section(name, title, nothing, goals_list(**query), len(found), lines, icon=icon)


def _stuck(goals: QuerySet[Goal]) -> Section:
    return _of_goals(
        "stuck",
        "Stuck",
        "Whatever is due is being driven.",
        attention.stuck(goals),
        {"needs": "worker"},
        lambda goal: f"{goal.status}, due, and nothing has happened · {goal.owner}",
        "hourglass_disabled",
    )


def _failing(goals: QuerySet[Goal]) -> Section:
    step = Checkpoint.objects.filter(goal=OuterRef("pk"), status=CheckpointStatus.ACTIVE).order_by()
    told = Goal.objects.annotate(step=Subquery(step.values("title")[:1]), tries=Subquery(step.values("attempts")[:1]))
    return _of_goals(
        "failing",
        "Failing, and tried again",
        "Nothing is being tried again.",
        attention.struggling(goals),
        {"needs": "help"},
        lambda goal: " · ".join(part for part in (_tried(goal), str(goal.owner)) if part),
        "replay",
        told,
    )


def _tried(goal: Any) -> str:
    if goal.tries and goal.tries >= attention.TRIED_AGAIN:
        return f"attempt {goal.tries} at {short(goal.step, 60)}"
    return f"the same verdict {goal.repeats + 1} times" if goal.repeats else ""


def _failed(goals: QuerySet[Goal]) -> Section:
    rows = goals.filter(status=GoalStatus.FAILED, finished_at__gte=timezone.now() - LATELY)
    shown = rows.select_related("owner").order_by("-finished_at")[:MOST_ROWS]
    lines = [
        Row(page(goal), short(str(goal)), f"{goal.outcome}: {short(goal.reason, 90)} · {goal.owner}", goal.finished_at)
        for goal in shown
    ]
    address = goals_list(status=GoalStatus.FAILED.value, ended="1d")
    nothing = "No goal has failed in the last day."
    return Section("failed", "Failed in the last day", nothing, address, _counted(rows), lines, icon="error")


def _paused(goals: QuerySet[Goal]) -> Section:
    rows = goals.filter(status=GoalStatus.PAUSED)
    found = _of_goals(
        "paused",
        "Paused",
        "No goal is paused.",
        rows,
        {"status": GoalStatus.PAUSED.value},
        lambda goal: f"{_why(goal.paused_for)}{f': {short(goal.reason, 80)}' if goal.reason else ''} · {goal.owner}",
        "pause_circle",
    )
    few = Goal.objects.filter(pk__in=rows.order_by().values("pk")[:MOST_COUNTED])
    reasons = few.order_by().values_list("paused_for").annotate(number=Count("pk")).order_by("-number")
    parts = [(_why(reason), number, goals_list(paused_for=reason)) for reason, number in reasons]
    return replace(found, parts=parts)


def _why(reason: str) -> str:
    words = PAUSED[PauseReason(reason)].removeprefix("Paused").removeprefix(": ")
    return words or "by a person"


def _near_budget(goals: QuerySet[Goal]) -> Section:
    found = _of_goals(
        "budget",
        "Near their budget",
        "Every goal has budget left.",
        attention.near_budget(goals),
        {"needs": "budget"},
        lambda goal: str(goal.budget_goal_id),
        "savings",
    )
    payers = [row.words for row in found.rows]
    tight: dict[str, Budget] = {}
    for line in attention.tight_lines().filter(goal_id__in=payers).order_by("resource"):
        fullest = tight.get(str(line.goal_id))
        if fullest is None or _share(line) > _share(fullest):
            tight[str(line.goal_id)] = line
    return replace(found, rows=[_tight_row(row, tight.get(row.words)) for row in found.rows])


def _tight_row(row: Row, line: Budget | None) -> Row:
    if line is None or line.limit is None:  # it has been raised meanwhile
        return Row(row.address, row.title, "", row.since)
    share = _share(line)
    used, limit = amount(line.resource, line.used + line.reserved), amount(line.resource, line.limit)
    words = f"{NAMES[Resource(line.resource)]}: {used} of {limit}, {share} %"
    return Row(row.address, row.title, words, row.since, share)


def _share(line: Budget) -> int:
    return min(100, round(100 * (line.used + line.reserved) / line.limit)) if line.limit else 0
