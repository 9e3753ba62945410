"""Field and constraint helpers that every row shares."""

from typing import Any

import uuid_utils.compat
from django.db import models
from django.db.models import CheckConstraint, Q


def uuid7_key() -> models.UUIDField:
    """Return a UUIDv7 primary key: it sorts by the time of its making."""
    return models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)


def indexed_key(to: str, **options: Any) -> models.ForeignKey:
    """Return a foreign key without an index of its own: another index of its table begins with this column."""
    return models.ForeignKey(to, on_delete=models.CASCADE, db_index=False, **options)


def choice_field(choices: type[models.TextChoices], *, blank: bool = False, **options: Any) -> models.CharField:
    """Return a column for one of the field's words; `blank` lets it be the empty string."""
    return models.CharField(max_length=20, choices=choices.choices, blank=blank, **options)


def known_values(table: str, field: str, choices: type[models.TextChoices], *, blank: bool = False) -> CheckConstraint:
    """Return the CHECK that lets only known words into a column."""
    values = [*choices.values, *([""] if blank else [])]
    return CheckConstraint(condition=Q(**{f"{field}__in": values}), name=f"{table}_{field}_known")
