"""What Postgres's planner believes of a table: its figures come from whenever autovacuum last looked."""

from django.db import connection


def believes_it_almost_empty(table: str) -> None:
    """As after many rows that are gone: one row is expected, however many there are."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE pg_class SET reltuples = 1, relpages = 1000 WHERE oid = %s::regclass", [table])
