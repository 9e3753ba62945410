"""Statements of the hot path: straight to psycopg, with parameters bound by the server and nothing quoted in Python."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections

Parameters = Sequence[Any] | Mapping[str, Any]


def execute(statement: str, parameters: Parameters) -> psycopg.Cursor:
    """Run one statement on this thread's connection; raises Django's database errors.

    Read what it gave before the next one: a connection has one cursor for all of them, since a new one learns anew how
    each type of parameter is written.
    """
    link = _link(statement)
    cursor = link.__dict__.get("statements")
    if cursor is None:
        cursor = link.statements = psycopg.Cursor(link)
    with connections[DEFAULT_DB_ALIAS].wrap_database_errors:
        return cursor.execute(statement, parameters)


def execute_long(statement: str, parameters: Sequence[Any]) -> psycopg.Cursor:
    """`execute` for a statement of many parameters, whose text psycopg would read anew each time; `%s` alone marks."""
    link = _link(statement)
    cursor = link.__dict__.get("long_statements")
    if cursor is None:
        cursor = link.long_statements = psycopg.RawCursor(link)
    with connections[DEFAULT_DB_ALIAS].wrap_database_errors:
        return cursor.execute(_numbered(statement), parameters)


def _link(statement: str) -> psycopg.Connection:
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.connection is None:
        connection.ensure_connection()
    if connection.force_debug_cursor:  # whoever counts statements sees these, too
        connection.queries_log.append({"sql": statement, "time": "0"})
    return connection.connection


@lru_cache(maxsize=500)
def _numbered(statement: str) -> bytes:
    first, *rest = statement.split("%s")
    return "".join([first, *(f"${number}{part}" for number, part in enumerate(rest, 1))]).encode()
