"""Empties the database after a test that committed. Django's flush truncates every table and fills some again, which
takes ten times as long as most tests; here rows go from the tables that have some."""

from functools import cache
from typing import Any

from django.db import connection

STANDING = ("django_migrations", "django_content_type", "auth_permission")
LARGE = 1_000_000  # bytes; a table that has grown so far is truncated, so that dead rows do not pile up


def empty(case: Any = None) -> None:
    """Leave no row but those of the standing tables, which `migrate` wrote."""
    with connection.cursor() as cursor:
        cursor.execute(_question())
        found = cursor.fetchall()
        if not found:
            return
        if any(size > LARGE for _, size in found):
            cursor.execute(f"TRUNCATE {', '.join(name for name, _ in found)} CASCADE")
        else:
            deletes = "; ".join(f"DELETE FROM {name}" for name, _ in found)
            # A replica runs no trigger: neither foreign keys nor the guard of what never changes say no.
            cursor.execute(f"BEGIN; SET LOCAL session_replication_role = replica; {deletes}; COMMIT")


@cache
def _question() -> str:
    """Which tables have rows, and how large they are."""
    names = (f'"{name}"' for name in connection.introspection.table_names() if name not in STANDING)
    looks = (f"SELECT '{name}', pg_relation_size('{name}') WHERE EXISTS (SELECT FROM {name})" for name in names)
    return " UNION ALL ".join(looks)
