"""The database: whether it answers, has what it needs, is up to date, and has the same time as we."""

import psycopg
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from goalsite import plain_connection
from goalsite.doctor.finding import Finding, fail, warn, well

OLDEST = 140_000  # Django 5.2's
PATIENCE = 5
NEARLY_FULL = 0.8
SLIGHT_SKEW = 1.0


def database() -> Finding:
    """Whether it answers, is no older than what Django takes, and has connections left."""
    try:
        with psycopg.connect(**{**plain_connection.parameters(), "connect_timeout": PATIENCE}) as plain:
            version = plain.info.server_version
            used, most = plain.execute(
                "SELECT count(*), current_setting('max_connections')::int FROM pg_stat_activity "
                "WHERE backend_type = 'client backend'"
            ).fetchone()
    except psycopg.OperationalError as error:
        return fail(_first_line(error), "Start it, or correct DATABASE_URL, or unset it to use the embedded one.")
    shown = f"PostgreSQL {version // 10_000}.{version % 10_000}, {used} of {most} connections"
    if version < OLDEST:
        return fail(shown, f"Use PostgreSQL {OLDEST // 10_000} or later.")
    if used >= NEARLY_FULL * most:
        return warn(shown, "Raise max_connections of the server, or run fewer workers and web processes.")
    return well(shown)


def pgvector() -> Finding:
    """Whether the extension is there in which procedures are searched."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        found = cursor.fetchone()
        if found:
            return well(f"version {found[0]}")
        cursor.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'")
        is_there = cursor.fetchone()
    first = "" if is_there else "Install pgvector on the database's server, then run "
    return fail("is not there", f"{first or 'Run '}`CREATE EXTENSION vector` in the database as a superuser.")


def migrations() -> Finding:
    """Whether the tables are those of this version of the site."""
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        return fail(f"{len(missing)} are missing", "Run `manage.py prepare`, or start the site with `manage.py up`.")
    strange = sorted(set(executor.loader.applied_migrations) - set(executor.loader.disk_migrations))
    if strange:
        listed = ", ".join(".".join(one) for one in strange[:3])
        return warn(f"{len(strange)} are unknown to this version: {listed}", "Was the site newer? Run that version.")
    return well("all are applied")


def clock() -> Finding:
    """Whether the database's clock and ours tell the same time: leases run by its, wake times by ours."""
    before = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        theirs = cursor.fetchone()[0]
    return of_skew((theirs - before - (timezone.now() - before) / 2).total_seconds())


def of_skew(seconds: float) -> Finding:
    """Judge by how many seconds the database's clock is ahead."""
    shown = f"the database's clock is {abs(seconds):.1f} s {'ahead of' if seconds > 0 else 'behind'} ours"
    remedy = "Have both machines keep time by NTP."
    if abs(seconds) >= settings.GOALSITE_LEASE_SECONDS:
        return fail(shown, remedy)
    return warn(shown, remedy) if abs(seconds) >= SLIGHT_SKEW else well("the database's and ours agree")


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
