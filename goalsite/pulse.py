"""Whether the workers work, in two figures for the console (the setting `GOALSITE_PULSE`)."""

from django.utils import timezone
from redis.exceptions import RedisError

from goalsite import queueing
from goalsite.models import Canary


def pulse() -> tuple[float | None, int | None]:
    """Return the seconds since a worker last answered, and the messages that none has taken; None: not known."""
    canary = Canary.objects.filter(id=Canary.ONLY).first()
    silence = None if canary is None or canary.run_at is None else (timezone.now() - canary.run_at).total_seconds()
    return silence if silence is None else max(0.0, silence), _queued()


def _queued() -> int | None:
    try:
        return queueing.waiting()
    except RedisError:
        return None
