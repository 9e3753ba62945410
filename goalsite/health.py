"""`/healthz`: this process answers. `/readyz`: the site can do its work, item by item."""

from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from goals.models import Breaker
from goalsite.models import Canary

Finding = tuple[bool, str]


def database() -> Finding:
    """Whether a statement runs."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True, "answers"


def migrations() -> Finding:
    """Whether every migration was applied."""
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return not missing, f"{len(missing)} missing: run `manage.py migrate`" if missing else "applied"


def queue() -> Finding:
    """Whether the workers ran a canary lately."""
    canary = Canary.objects.filter(id=Canary.ONLY).first()
    if canary is None or canary.run_at is None:
        return False, "no worker has run yet"
    age = timezone.now() - canary.run_at
    limit = timedelta(seconds=settings.GOALSITE_CANARY_SECONDS + settings.Q_CLUSTER["timeout"])
    return age <= limit, f"a worker answered {age.total_seconds():.0f} s ago"


def model() -> Finding:
    """Whether a model endpoint is configured."""
    if settings.GOALSITE_REHEARSAL:
        return True, "the rehearsal model"
    return bool(settings.OPENAI_BASE_URL or settings.OPENAI_API_KEY), settings.GOALSITE_MODEL


ITEMS: dict[str, Callable[[], Finding]] = {
    "database": database,
    "migrations": migrations,
    "queue": queue,
    "model": model,
}


def breakers() -> Finding:
    """Which endpoints and tools are left alone because they fail: work that needs them sleeps until they are tried."""
    rows = list(Breaker.objects.open()[:20])
    return not rows, "; ".join(map(str, rows)) or "all closed"


# What does not keep this process from serving: a web server is not taken out because a model's endpoint is down.
DEGRADES: dict[str, Callable[[], Finding]] = {"breakers": breakers}


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 whenever this process answers; touches nothing else."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when every item is well, else 503, with what was found; `degraded` says that some work must wait."""
    found = {name: _look(check) for name, check in ITEMS.items()}
    others = {name: _look(check) for name, check in DEGRADES.items()}
    ready, degraded = _all_well(found), not _all_well(others)
    said = {"ready": ready, "degraded": degraded, "items": {**found, **others}}
    return JsonResponse(said, status=200 if ready else 503)


def _all_well(found: dict[str, dict[str, object]]) -> bool:
    return all(item["ok"] for item in found.values())


def _look(check: Callable[[], Finding]) -> dict[str, object]:
    try:
        ok, found = check()
    except DatabaseError as error:
        ok, found = False, type(error).__name__
    return {"ok": ok, "found": found}
