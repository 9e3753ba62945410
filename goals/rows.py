"""Rows as SQL, for the few statements on the hot path that do two things at once. Values are adapted by the fields."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models


@cache
def columns_of(model: type[models.Model]) -> tuple[str, ...]:
    """Return the quoted names of a table's columns, in the order of `values_of`."""
    return tuple(f'"{field.column}"' for field in model._meta.concrete_fields)


def values_of(row: models.Model) -> list[Any]:
    """Return a new row's values as the database takes them."""
    connection = connections[DEFAULT_DB_ALIAS]
    fields = row._meta.concrete_fields
    return [field.get_db_prep_save(field.pre_save(row, add=True), connection) for field in fields]


def assignments(row: models.Model, names: Iterable[str]) -> tuple[str, list[Any]]:
    """Return `a = %s, b = %s` and the values of the named fields."""
    connection = connections[DEFAULT_DB_ALIAS]
    fields = [row._meta.get_field(name) for name in sorted(names)]
    text = ", ".join(f'"{field.column}" = %s' for field in fields)
    return text, [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]


def placeholders(count: int) -> str:
    return ", ".join(["%s"] * count)
