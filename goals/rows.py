"""Rows as SQL, for the statements of the hot path, some of which do two things at once.

A row's fields hold values of their own types already, so they go to psycopg as they are; only JSON becomes text here.
What is worked out of a model's fields is worked out once. Every new value is cast to its column's type.
"""

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models

from artifacts.statements import execute, execute_long

__all__ = ["assignments", "columns_of", "execute", "execute_long", "insert", "insertion", "marks_of", "values_of"]

Converter = Callable[[Any], Any]


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
    stamps, readers = _readers_of(type(row))
    for stamp in stamps:
        stamp.pre_save(row, add=True)
    known = row.__dict__
    return [known[name] if convert is None else convert(known[name]) for name, convert in readers]


def insert(row: models.Model) -> None:
    """Insert one row."""
    execute(*insertion(row))


def insertion(row: models.Model) -> tuple[str, list[Any]]:
    """Return the statement that inserts a row, with its values; the row counts as written from now on."""
    values = values_of(row)
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
    return _insertion(type(row)), values


def assignments(row: models.Model, names: Iterable[str]) -> tuple[str, list[Any]]:
    """Return `a = %s, b = %s` and the values of the named fields."""
    text, readers = _assigned(type(row), tuple(sorted(names)))
    known = row.__dict__
    return text, [known[name] if convert is None else convert(known[name]) for name, convert in readers]


@cache
def _insertion(model: type[models.Model]) -> str:
    columns, marks = ", ".join(columns_of(model)), ", ".join(marks_of(model))
    return f"INSERT INTO {model._meta.db_table} ({columns}) VALUES ({marks})"  # noqa: S608 - names of our own columns


@cache
def _readers_of(model: type[models.Model]) -> tuple[list[models.Field], list[tuple[str, Converter | None]]]:
    """Return the fields that set themselves when a row is new, and where each value lies with what is done to it."""
    fields = model._meta.concrete_fields
    stamps = [field for field in fields if getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False)]
    return stamps, [(field.attname, _converter(field)) for field in fields]


@cache
def _assigned(model: type[models.Model], names: tuple[str, ...]) -> tuple[str, list[tuple[str, Converter | None]]]:
    fields = [model._meta.get_field(name) for name in names]
    text = ", ".join(f'"{field.column}" = %s' for field in fields)
    return text, [(field.attname, _converter(field)) for field in fields]


def _converter(field: models.Field) -> Converter | None:
    if isinstance(field, models.JSONField):
        return _json
    return _text if isinstance(field, models.CharField | models.TextField) else None


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value)


def _text(value: Any) -> str | None:
    """The plain text, of a word of one of our enums as well."""
    return value if value is None or type(value) is str else str(value)
