"""Making the database ready for the site: reachable, with pgvector, migrated, with the site's procedures."""

import psycopg
from django.core.management import call_command, get_commands
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from goalsite import plain_connection
from goalsite.environment import without_password
from goalsite.site_errors import PostgresError

MIGRATING = 0x60A151  # the advisory lock of whoever migrates


def prepare() -> None:
    """Bring the database up to date; one process at a time. Raises `PostgresError` with one line when it cannot be."""
    _reach()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATING])
        try:
            _need_vector()
            call_command("migrate", verbosity=0, interactive=False)
            if "load_sops" in get_commands():
                call_command("load_sops", verbosity=0)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [MIGRATING])


def prepare_if_needed() -> None:
    """`prepare`, when some migration is missing: the first command on a fresh data folder."""
    _reach()
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        prepare()


def _reach() -> None:
    try:
        psycopg.connect(**plain_connection.parameters()).close()
    except psycopg.OperationalError as error:
        raise PostgresError(
            f"The database {_address()} cannot be reached ({_first_line(error)}): start it, or correct DATABASE_URL, "
            "or unset DATABASE_URL to use the embedded one."
        ) from None


def _need_vector() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'")
        if cursor.fetchone():
            return
        try:
            cursor.execute("CREATE EXTENSION vector")
        except DatabaseError as error:
            raise PostgresError(
                f"The database {_address()} has no pgvector ({_first_line(error)}): install pgvector on its server and "
                "run `CREATE EXTENSION vector` there as a superuser, or unset DATABASE_URL to use the embedded one."
            ) from None


def _address() -> str:
    found = connection.settings_dict
    port = f":{found['PORT']}" if found["PORT"] else ""
    return without_password(f"{found['NAME']} on {found['HOST'] or 'the local socket'}{port}")


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
