"""`/healthz`: this process answers. `/readyz`: the site can do its work, item by item, told within some seconds.

A web server is not taken out because a model's endpoint is down, or a breaker open: pages, answers and questions go on,
and work that needs it sleeps. That is `degraded`.
"""

import time
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from goalsite import items
from goalsite.items import Finding
from goalsite.looks import Looks, by

LONGEST = 4.0  # seconds; what hangs is told as that
DEGRADES = {"model", "breakers"}
looks = Looks()


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 whenever this process answers; touches nothing else."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when all that pages and workers need is well, else 503; `degraded` says that some work must wait."""
    found = look()
    ready = all(ok for name, (ok, _) in found.items() if name not in DEGRADES)
    degraded = not all(ok for name, (ok, _) in found.items() if name in DEGRADES)
    told = {name: {"ok": ok, "found": what} for name, (ok, what) in found.items()}
    return JsonResponse({"ready": ready, "degraded": degraded, "items": told}, status=200 if ready else 503)


def look() -> dict[str, Finding]:
    """Look at everything at once, each with the same patience."""
    deadline = time.monotonic() + LONGEST
    hung = False, f"no answer within {LONGEST:.0f} s"
    wanted: dict[str, Any] = {"model": items.model}
    if settings.REDIS_URL:
        wanted["redis"] = items.redis_server
    of_database = looks.begin("database", items.of_the_database)
    others = {name: looks.begin(name, one) for name, one in wanted.items()}
    found = by(deadline, of_database, dict.fromkeys(("database", "migrations", "queue", "breakers"), hung))
    return {**found, **{name: by(deadline, one, hung) for name, one in others.items()}}
