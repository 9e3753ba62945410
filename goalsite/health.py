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


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 whenever this process answers; touches nothing else."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when every item is well, else 503, with what was found."""
    found = {name: _look(check) for name, check in ITEMS.items()}
    ready = all(item["ok"] for item in found.values())
    return JsonResponse({"ready": ready, "items": found}, status=200 if ready else 503)


def _look(check: Callable[[], Finding]) -> dict[str, object]:
    try:
        ok, found = check()
    except DatabaseError as error:
        ok, found = False, type(error).__name__
    return {"ok": ok, "found": found}
