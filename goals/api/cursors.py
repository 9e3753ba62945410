"""Cursors of lists: where a page ended, as a signed text that only the same list in the same order takes back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core import signing
from django.db.models import Model, Q, QuerySet
from rest_framework.exceptions import ValidationError

SALT = "goals.api.cursor"


@dataclass(frozen=True)
class Order:
    """`name` as it was asked for; `fields` are columns, the last of which tells all rows apart."""

    name: str
    fields: tuple[str, ...]

    @property
    def descending(self) -> bool:
        return self.name.startswith("-")

    def sort(self, rows: QuerySet, *, backwards: bool = False) -> QuerySet:
        """Return the rows in this order; what has nothing in the first column has no place in it."""
        first = rows.model._meta.get_field(self.fields[0])
        if getattr(first, "null", False):
            rows = rows.filter(**{f"{self.fields[0]}__isnull": False})
        sign = "-" if self.descending != backwards else ""
        return rows.order_by(*(f"{sign}{name}" for name in self.fields))

    def beyond(self, values: list[Any], *, backwards: bool = False) -> Q:
        """Return the condition for what comes after a row with these values."""
        side = "lt" if self.descending != backwards else "gt"
        first, *rest = zip(self.fields, values, strict=True)
        further = Q(**{f"{first[0]}__{side}": first[1]})
        if not rest:
            return further
        # The first part is what an index is searched by.
        name, value = rest[0]
        return Q(**{f"{first[0]}__{side}e": first[1]}) & (further | Q(**{f"{name}__{side}": value}))


def cursor_of(place: str, order: Order, row: Model, *, backwards: bool) -> str:
    """Return the cursor of what comes after (or before) a row."""
    return cursor_at(place, order, [getattr(row, name) for name in order.fields], backwards=backwards)


def cursor_at(place: str, order: Order, values: Sequence[Any], *, backwards: bool) -> str:
    """Return the cursor of what comes after (or before) a row with these values in the order's columns."""
    return signing.dumps([order.name, backwards, [_plain(value) for value in values]], salt=SALT + place)


def read(place: str, order: Order, text: str) -> tuple[bool, list[Any]]:
    """Return whether it leads backwards, and from which values; raises ValidationError."""
    try:
        name, backwards, values = signing.loads(text, salt=SALT + place)
    except signing.BadSignature:
        told = "is not a cursor of this list; follow `next` and `previous`, or leave it out to begin anew"
        raise ValidationError({"cursor": told}) from None
    if name != order.name:
        raise ValidationError({"cursor": f"belongs to the ordering {name}; leave it out to begin anew in {order.name}"})
    return backwards, values


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, int) else str(value)
