"""What was spent today: in all, by model, procedure and owner, and hour by hour."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet, Sum
from django.utils import timezone

from goals.admin.dashboard.charts import Bar, Chart, bars
from goals.admin.dashboard.standing import last_hours
from goals.api.access import is_operator
from goals.chat.amounts import amount
from goals.models import Spend
from goals.states import Resource

MOST_LINES = 6
BY = (
    ("model", "By model", "unnamed"),
    ("sop", "By procedure", "without a procedure"),
    ("owner__username", "By owner", ""),
)


@dataclass(frozen=True)
class Share:
    """One model's, procedure's or owner's part; `share` is of 100."""

    name: str
    usd: str
    share: float


@dataclass(frozen=True)
class Spent:
    usd: str
    calls: str
    tokens: str
    parts: list[tuple[str, list[Share]]]
    chart: Chart


def spent_today(user: Any) -> Spent:
    """Return what was spent since midnight (UTC), of all for an operator, else of one's own."""
    mine = Spend.objects.all() if is_operator(user) else Spend.objects.filter(owner=user)
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    today = mine.filter(hour__gte=midnight).order_by()
    whole = today.aggregate(usd=Sum("usd"), calls=Sum("calls"), tokens=Sum("tokens"))
    total = whole["usd"] or Decimal(0)
    return Spent(
        amount(Resource.COST_USD, total),
        f"{whole['calls'] or 0:,}",
        f"{whole['tokens'] or 0:,}",
        [(title, _parts(today, name, unnamed, total)) for name, title, unnamed in BY],
        _by_hour(mine, last_hours()),
    )


def _parts(today: QuerySet[Spend], name: str, unnamed: str, total: Decimal) -> list[Share]:
    rows = today.values_list(name).annotate(usd=Sum("usd")).order_by("-usd", name)[:MOST_LINES]
    return [
        Share(key or unnamed, amount(Resource.COST_USD, usd), round(float(100 * usd / total), 1) if total else 0.0)
        for key, usd in rows
    ]


def _by_hour(rows: QuerySet[Spend], hours: list[datetime]) -> Chart:
    sums = rows.filter(hour__gte=hours[0]).order_by().values_list("hour").annotate(usd=Sum("usd"))
    found = dict(sums)
    shown = []
    for hour in hours:
        usd = found.get(hour, Decimal(0))
        shown.append(Bar(hour, float(usd), 0, f"{hour:%H}:00: {amount(Resource.COST_USD, usd)}"))
    total = amount(Resource.COST_USD, sum(found.values(), Decimal(0)))
    return bars("Spent in the last day", f"{total} in the last day, by the hour (UTC)", shown)
