"""`/metrics`: the site's figures for Prometheus, read from the database, so that any web process tells the same.

What grows is summed by `goals.tally` as it happens; what stands is counted over rows that are few (what lives, what is
open), never over history.
"""

import hmac
import ipaddress
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from django.conf import settings
from django.db.models import Count, Min
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import choose_encoder

from goals import tally
from goals.measures import SECONDS
from goals.models import Breaker, Delivery, Goal, ModelCall, Question, Tally, ToolCall, Webhook
from goals.states import EffectStatus, GoalStatus, QuestionKind
from goalsite import queueing
from goalsite.models import Canary

PREFIX = "goalsite_"
COUNTERS = {
    "events": "Events written, by kind.",
    "goals_ended": "Goals that ended, by outcome.",
    "effects": "Model calls and tool calls that have an outcome.",
    "spent_usd": "What model calls cost, in USD.",
    "tokens": "Tokens of model calls.",
    "webhook_deliveries": "Calls of webhooks, by what they came to.",
    "leases_lost": "Drivers that found their lease gone.",
}
HISTOGRAMS = {"effect_seconds": "How long model calls and tool calls took."}
LIVING = (GoalStatus.PLANNING, GoalStatus.ACTIVE, GoalStatus.WAITING, GoalStatus.PAUSED)
OPEN = (EffectStatus.INTENDED, EffectStatus.UNKNOWN)
MOST_COUNTED = 10_000
FORBIDDEN = (
    "Figures are told to this machine, to operators who are signed in, and to whoever sends "
    "`Authorization: Bearer TOKEN` with the token of GOALSITE_METRICS_TOKEN.\n"
)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """The figures as text, in the format that the scraper asks for; 403 for strangers."""
    if not _may_read(request):
        return HttpResponse(FORBIDDEN, status=403, content_type="text/plain")
    tally.flush()
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Site())
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    return HttpResponse(encode(registry), content_type=content_type)


class Site:
    """The site as Prometheus collects it."""

    def collect(self) -> Iterator[Metric]:
        """Yield every family of figures."""
        yield from _standing()
        yield from _summed()

    def describe(self) -> Iterable[Metric]:
        """Nothing: the families are known when they are read."""
        return []


def _standing() -> Iterator[Metric]:
    living = dict(Goal.objects.filter(status__in=LIVING).order_by().values_list("status").annotate(Count("pk")))
    yield _gauge(
        "goals", "Goals that have not ended, by status.", "status", {s.value: living.get(s, 0) for s in LIVING}
    )
    runnable = Goal.objects.runnable().count()
    yield _gauge("goals_runnable", "Goals that a worker could drive now and none does.", value=runnable)
    driven = Goal.objects.filter(status__in=LIVING, lease_expires_at__gt=Now()).count()
    yield _gauge("goals_driven", "Goals that a worker is driving.", value=driven)
    asked = dict(Question.objects.open().order_by().values_list("kind").annotate(Count("pk")))
    kinds = {kind.value: asked.get(kind, 0) for kind in QuestionKind}
    yield _gauge("questions_open", "Questions that wait for a person, by kind.", "kind", kinds)
    yield _gauge("question_oldest_seconds", "Age of the oldest open question.", value=_age(Question.objects.open()))
    flying = {
        name: model.objects.filter(status__in=OPEN).count()
        for name, model in (("model", ModelCall), ("tool", ToolCall))
    }
    yield _gauge("effects_open", "Calls without an outcome: in flight, or lost.", "kind", flying)
    yield _gauge("breakers_open", "Far sides that are left alone.", value=Breaker.objects.open().count())
    due = Delivery.objects.open().filter(due_at__lte=Now(), webhook__active=True)[:MOST_COUNTED].count()
    yield _gauge("deliveries_due", "Deliveries to webhooks that could be made now.", value=due)
    yield _gauge("webhooks_troubled", "Webhooks that fail or were disabled.", value=Webhook.objects.troubled().count())
    yield _gauge("queue_messages", "Messages that no worker has taken.", value=queueing.waiting())
    yield _gauge("worker_silence_seconds", "Since a worker last answered.", value=_silence())


def _age(questions: Any) -> float:
    oldest = questions.aggregate(oldest=Min("created_at"))["oldest"]
    return 0.0 if oldest is None else (timezone.now() - oldest).total_seconds()


def _silence() -> float:
    canary = Canary.objects.filter(id=Canary.ONLY).first()
    if canary is None or canary.run_at is None:
        return float("inf")
    return max(0.0, (timezone.now() - canary.run_at).total_seconds())


def _summed() -> Iterator[Metric]:
    series: dict[str, list[tuple[dict[str, str], float]]] = defaultdict(list)
    for name, labels, value in Tally.objects.order_by("name", "labels").values_list("name", "labels", "value"):
        series[name].append((dict(json.loads(labels)), value))
    for name, text in COUNTERS.items():
        names = sorted({label for labels, _ in series[name] for label in labels})
        family = CounterMetricFamily(PREFIX + name, text, labels=names)
        for labels, value in series[name]:
            family.add_metric([labels.get(label, "") for label in names], value)
        yield family
    for name, text in HISTOGRAMS.items():
        yield _histogram(name, text, series)


def _histogram(name: str, text: str, series: dict[str, list[tuple[dict[str, str], float]]]) -> Metric:
    family = HistogramMetricFamily(PREFIX + name, text, labels=["kind"])
    sums = {labels["kind"]: value for labels, value in series[f"{name}_sum"]}
    counts: dict[str, dict[str, float]] = defaultdict(dict)
    for labels, value in series[f"{name}_bucket"]:
        counts[labels["kind"]][labels["le"]] = value
    for kind, found in sorted(counts.items()):
        total, buckets = 0.0, []
        for bound in (*map(str, SECONDS), "+Inf"):
            total += found.get(bound, 0.0)
            buckets.append((bound, total))
        family.add_metric([kind], buckets=buckets, sum_value=sums.get(kind, 0.0))
    return family


def _gauge(
    name: str, text: str, label: str = "", values: dict[str, int] | None = None, *, value: float = 0
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(PREFIX + name, text, labels=[label] if label else None)
    if not label:
        family.add_metric([], value)
    for key, found in (values or {}).items():
        family.add_metric([key], found)
    return family


def _may_read(request: HttpRequest) -> bool:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    wanted = settings.GOALSITE_METRICS_TOKEN
    if wanted and scheme.lower() == "bearer" and hmac.compare_digest(token.strip().encode(), wanted.encode()):
        return True
    if request.user.is_authenticated and request.user.has_perm("goals.operate"):
        return True
    return not wanted and _is_loopback(request.META.get("REMOTE_ADDR", ""))


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
