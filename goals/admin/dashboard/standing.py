"""How the site does: goals by status, workers and queue, breakers, and what has ended, hour by hour."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Q
from django.db.models.functions import Now, TruncHour
from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string

from goals import attention
from goals.admin.dashboard.charts import Bar, Chart, bars
from goals.admin.dashboard.sections import MOST_COUNTED, goals_list
from goals.admin.show import page, short
from goals.chat.amounts import duration
from goals.models import Breaker, Goal, McpTool, Webhook
from goals.models.goal import LIVE
from goals.states import GoalStatus

HOURS = 24
MOST_BREAKERS = 6


@dataclass(frozen=True)
class Fact:
    """One figure, its words, and whether it is as it should be."""

    name: str
    value: str
    words: str = ""
    is_well: bool = True
    address: str = ""


def living(user: Any) -> list[Fact]:
    """Return how many goals stand where, of those that have not ended."""
    rows = Goal.objects.owned_by(user).filter(status__in=attention.UNFINISHED).order_by()
    counts = dict(rows.values_list("status").annotate(Count("pk")))
    return [
        Fact(status.capitalize(), f"{counts.get(status, 0):,}", address=goals_list(status=status.value))
        for status in attention.UNFINISHED
    ]


def machinery() -> list[Fact]:
    """Return how the workers and the queue do, for operators."""
    silence, queued = import_string(settings.GOALSITE_PULSE)()
    driven = Goal.objects.filter(status__in=LIVE, lease_expires_at__gt=Now())
    drivers, goals = driven.aggregate(n=Count("lease_owner", distinct=True), g=Count("pk")).values()
    due = Goal.objects.runnable().order_by().values("pk")[: MOST_COUNTED + 1].count()
    is_well = silence is not None and silence < 2 * settings.GOALSITE_CANARY_SECONDS
    said = "no worker has answered yet" if silence is None else f"{duration(silence)} ago"
    return [
        Fact("Workers answered", said, "" if is_well else "they are late: look at the workers' log", is_well),
        Fact("Goals being driven", f"{goals:,}", f"by {drivers} worker{'' if drivers == 1 else 's'}"),
        Fact("Due, not yet taken", f"{due:,}", is_well=due < MOST_COUNTED, address=goals_list(needs="worker")),
        Fact(
            "Messages in the queue",
            "the queue does not answer" if queued is None else f"{queued:,}",
            "",
            queued is not None,
        ),
        _webhooks(),
        _mcp_tools(),
    ]


def _webhooks() -> Fact:
    troubled = Webhook.objects.troubled().count()
    words = "they fail or are disabled" if troubled else ""
    return Fact("Webhooks in trouble", f"{troubled:,}", words, not troubled, reverse("admin:goals_webhook_changelist"))


def _mcp_tools() -> Fact:
    changed = McpTool.objects.filter(server__enabled=True).changed().count()
    words = "they are not what was let in, and not offered" if changed else ""
    return Fact("MCP tools changed", f"{changed:,}", words, not changed, reverse("admin:goals_mcptool_changelist"))


def breakers() -> list[tuple[str, str, str]]:
    """Return the far sides that are left alone: name, how they stand, where one acts."""
    rows = Breaker.objects.open().order_by("kind", "name")[:MOST_BREAKERS]
    return [(row.called, f"{row.in_words}: {short(row.error, 100)}", page(row)) for row in rows]


def breakers_list() -> str:
    return reverse("admin:goals_breaker_changelist")


def ended(user: Any) -> Chart:
    """Return the chart of what has ended in the last day: reached, and not."""
    hours = last_hours()
    rows = (
        Goal.objects.owned_by(user)
        .filter(finished_at__gte=hours[0])
        .order_by()
        .annotate(hour=TruncHour("finished_at"))
        .values_list("hour")
        .annotate(
            reached=Count("pk", filter=Q(status=GoalStatus.COMPLETED)),
            others=Count("pk", filter=~Q(status=GoalStatus.COMPLETED)),
        )
    )
    found = {hour: (reached, others) for hour, reached, others in rows}
    shown = []
    for hour in hours:
        reached, others = found.get(hour, (0, 0))
        shown.append(Bar(hour, reached, others, f"{hour:%H}:00: {reached} reached, {others} not"))
    reached, others = sum(bar.value for bar in shown), sum(bar.other for bar in shown)
    return bars("Ended in the last day", f"{reached:,.0f} reached, {others:,.0f} not", shown)


def last_hours() -> list[datetime]:
    """Return the beginnings of the last hours, the present one last."""
    now = timezone.now().replace(minute=0, second=0, microsecond=0)
    return [now - timedelta(hours=back) for back in reversed(range(HOURS))]
