"""What the site needs, item by item: each look returns whether it is well, and what was found."""

import time
from collections.abc import Callable
from datetime import timedelta

import httpx2
import openai
import psycopg
import redis
from django.conf import settings
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models.functions import Now
from django.utils import timezone
from django_q.conf import Conf
from django_q.models import OrmQ

from goals.llm.client import address
from goals.llm.transport import http_client
from goals.models import Breaker, Goal
from goals.models.goal import LIVE
from goalsite import plain_connection
from goalsite.models import Canary
from goalsite.watchdog import patience

Finding = tuple[bool, str]
CONNECT_SECONDS = 2  # libpq takes no less
ANSWER_SECONDS = 2.0
ASK_AGAIN_SECONDS = 10.0  # however often we are asked, an endpoint is not asked more often
UNLOOKED = False, "could not be looked at without the database"

_asked: dict[str, tuple[float, Finding]] = {}


def database() -> Finding:
    """Whether the database takes a new connection and runs a statement on it."""
    given = {**plain_connection.parameters(), "connect_timeout": CONNECT_SECONDS}
    try:
        with psycopg.connect(**given, autocommit=True) as plain:
            plain.execute("SELECT 1")
    except psycopg.Error as error:
        return False, type(error).__name__
    return True, "answers"


def migrations() -> Finding:
    """Whether every migration was applied."""
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return not missing, f"{len(missing)} missing: run `manage.py migrate`" if missing else "applied"


def queue() -> Finding:
    """Whether the workers ran a canary lately, or are at work, which keeps them from it."""
    canary = Canary.objects.filter(id=Canary.ONLY).first()
    if canary is None or canary.run_at is None:
        return False, "no worker has run yet"
    age = timezone.now() - canary.run_at
    shown = f"a worker answered {age.total_seconds():.0f} s ago"
    if age <= _longest_silence():
        return True, shown
    return (True, f"all workers are at work; {shown}") if _are_at_work() else (False, shown)


def _longest_silence() -> timedelta:
    """A canary is sent every quarter of the watchdog's patience, and may take what the setting says."""
    return timedelta(seconds=patience() / 4 + settings.GOALSITE_CANARY_SECONDS)


def _are_at_work() -> bool:
    """Whether a worker renews what it holds: a message of the queue, or where the queue has no leases, a goal."""
    if Conf.ORM:
        return OrmQ.objects.filter(key=Conf.CLUSTER_NAME, lock__gt=Now()).exists()
    return Goal.objects.filter(status__in=LIVE, lease_expires_at__gt=Now()).exists()


def redis_server() -> Finding:
    """Whether the Redis of the queue and of live updates answers."""
    given = {"socket_timeout": ANSWER_SECONDS, "socket_connect_timeout": ANSWER_SECONDS}
    try:
        with redis.Redis.from_url(settings.REDIS_URL, **given) as client:
            client.ping()
    except (redis.RedisError, OSError) as error:
        return False, type(error).__name__
    return True, "answers"


def model() -> Finding:
    """Whether the model's endpoint answers, and takes the key: by its list of models, which costs nothing."""
    base_url, key = address()
    at, found = _asked.get(base_url, (0.0, (False, "")))
    if time.monotonic() - at > ASK_AGAIN_SECONDS or not at:
        found = _answer(base_url, key)
        _asked.clear()
        _asked[base_url] = time.monotonic(), found
    return found


def _answer(base_url: str, key: str) -> Finding:
    called = "the rehearsal model" if settings.GOALSITE_REHEARSAL else settings.GOALSITE_MODEL
    headers = {"Authorization": f"Bearer {key}"}
    try:
        with http_client(base_url) as client:
            code = client.get(f"{base_url.rstrip('/')}/models", headers=headers, timeout=ANSWER_SECONDS).status_code
    except (openai.OpenAIError, httpx2.HTTPError, OSError) as error:
        return False, f"{called}: no answer ({type(error).__name__})"
    if code in (401, 403) or code >= 500:
        return False, f"{called}: answered {code}"
    return True, called


def breakers() -> Finding:
    """Which endpoints and tools are left alone because they fail: work that needs them sleeps until they are tried."""
    rows = list(Breaker.objects.open()[:20])
    return not rows, "; ".join(map(str, rows)) or "all closed"


def of_the_database() -> dict[str, Finding]:
    """What the database is needed for; the rest is not tried when it does not answer."""
    found = {"database": database()}
    try:
        for name, look in {"migrations": migrations, "queue": queue, "breakers": breakers}.items():
            found[name] = _tried(look) if found["database"][0] else UNLOOKED
    finally:
        connection.close()
    return found


def _tried(look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except Error as error:
        return False, type(error).__name__
