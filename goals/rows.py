"""Rows as SQL, for the statements of the hot path, some of which do two things at once.

They go to psycopg itself, with parameters bound by the server: it prepares a statement that comes again, and nothing is
quoted in Python. Values are adapted by the model's fields, and every one is cast to its column's type.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections, models

Parameters = Sequence[Any] | Mapping[str, Any]


def execute(statement: str, parameters: Parameters) -> psycopg.Cursor:
    """Run one statement on this thread's connection; raises Django's database errors."""
    connection = connections[DEFAULT_DB_ALIAS]
    connection.ensure_connection()
    with connection.wrap_database_errors:
        return psycopg.Cursor(connection.connection).execute(statement, parameters)


@cache
def columns_of(model: type[models.Model]) -> tuple[str, ...]:
    """Return the quoted names of a table's columns, in the order of `values_of`."""
    return tuple(f'"{field.column}"' for field in model._meta.concrete_fields)


@cache
def marks_of(model: type[models.Model]) -> tuple[str, ...]:
    """Return a cast placeholder for each column, in the order of `values_of`."""
    connection = connections[DEFAULT_DB_ALIAS]
    types = (re.sub(r"\(.*\)", "", field.db_type(connection)) for field in model._meta.concrete_fields)
    return tuple(f"%s::{type_}" for type_ in types)


def values_of(row: models.Model) -> list[Any]:
    """Return a new row's values as the database takes them."""
    connection = connections[DEFAULT_DB_ALIAS]
    fields = row._meta.concrete_fields
    return [field.get_db_prep_save(field.pre_save(row, add=True), connection) for field in fields]


def insert(row: models.Model) -> None:
    """Insert one row."""
    model = type(row)
    columns, marks = ", ".join(columns_of(model)), ", ".join(marks_of(model))
    execute(f"INSERT INTO {model._meta.db_table} ({columns}) VALUES ({marks})", values_of(row))  # noqa: S608
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS


def assignments(row: models.Model, names: Iterable[str]) -> tuple[str, list[Any]]:
    """Return `a = %s, b = %s` and the values of the named fields."""
    connection = connections[DEFAULT_DB_ALIAS]
    fields = [row._meta.get_field(name) for name in sorted(names)]
    text = ", ".join(f'"{field.column}" = %s' for field in fields)
    return text, [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]
