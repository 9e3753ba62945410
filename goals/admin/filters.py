"""Filters that cost the same however long the table is: none asks it for the values that it holds."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.contrib.filters.admin import DropdownFilter, TextFilter

from goals import attention
from goals.api.access import is_operator
from goals.models import Goal

LONGEST_NAME = 150


def owned_over(path: str) -> type[TextFilter]:
    """Return a filter by the name of the person to whom the rows belong, over `path`; for operators."""

    class Owner(TextFilter):
        title = "owner"
        parameter_name = "owner"

        def __init__(self, request: HttpRequest, *args: Any) -> None:
            self.is_shown = is_operator(request.user)
            super().__init__(request, *args)

        def has_output(self) -> bool:
            return self.is_shown

        def queryset(self, request: HttpRequest, rows: QuerySet) -> QuerySet:
            name = (self.value() or "").strip()
            if not name or not self.is_shown:
                return rows
            people = get_user_model().objects.filter(username__iexact=name)
            found = list(people.values_list("pk", flat=True)[:2])
            if not found:
                messages.error(request, f"owner: there is nobody named {name[:LONGEST_NAME]}")
            return rows.filter(**{f"{path}__in": found})

    return Owner


def named(field: str) -> type[TextFilter]:
    """Return a filter by the whole of a field whose values are too many to list."""

    class Named(TextFilter):
        title = parameter_name = field

        def queryset(self, request: HttpRequest, rows: QuerySet) -> QuerySet:
            return rows.filter(**{field: self.value().strip()}) if self.value() else rows

    return Named


class OneOf(DropdownFilter):
    """A filter by one of a few values; another one is refused by name and leaves the list as it is."""

    offered: Sequence[tuple[str, str]] = ()

    def lookups(self, request: HttpRequest, page: Any) -> Sequence[tuple[str, str]]:
        return self.offered

    def queryset(self, request: HttpRequest, rows: QuerySet) -> QuerySet:
        value = self.value()
        if not value:
            return rows
        if value not in {key for key, _ in self.offered}:
            allowed = ", ".join(key for key, _ in self.offered)
            messages.error(request, f"{self.parameter_name}: {value[:LONGEST_NAME]!r} is none of {allowed}")
            return rows
        return self.narrowed(rows, value)

    def narrowed(self, rows: QuerySet, value: str) -> QuerySet:
        return rows.filter(**{str(self.parameter_name): value})


def chosen(field: str, values: Iterable[str], title: str = "") -> type[OneOf]:
    """Return a filter by one of the values that we know a field can have."""
    offered = [(value, value.replace("_", " ")) for value in values if value]
    return type("Chosen", (OneOf,), {"parameter_name": field, "title": title or field, "offered": offered})


class Age(OneOf):
    """By when a row was made."""

    title = parameter_name = "age"
    SPANS = {
        "1h": ("the last hour", timedelta(hours=1)),
        "1d": ("the last day", timedelta(days=1)),
        "7d": ("the last 7 days", timedelta(days=7)),
        "over1d": ("older than a day", timedelta(days=1)),
        "over7d": ("older than 7 days", timedelta(days=7)),
        "over30d": ("older than 30 days", timedelta(days=30)),
    }
    offered = [(key, words) for key, (words, _) in SPANS.items()]

    def narrowed(self, rows: QuerySet, value: str) -> QuerySet:
        lookup = "created_at__lt" if value.startswith("over") else "created_at__gte"
        return rows.filter(**{lookup: timezone.now() - self.SPANS[value][1]})


class Ended(OneOf):
    """By when a goal came to its end."""

    title = parameter_name = "ended"
    SPANS = {"1h": timedelta(hours=1), "1d": timedelta(days=1), "7d": timedelta(days=7)}
    offered = [("1h", "in the last hour"), ("1d", "in the last day"), ("7d", "in the last 7 days")]

    def narrowed(self, rows: QuerySet, value: str) -> QuerySet:
        return rows.filter(finished_at__gte=timezone.now() - self.SPANS[value])


class Needs(OneOf):
    """What a person would look at first: the dashboard's own sections."""

    title = "need"
    parameter_name = "needs"
    offered = [
        ("answer", "an answer"),
        ("budget", "more budget soon"),
        ("help", "help: tried again and again"),
        ("worker", "a worker: it is stuck"),
    ]

    def narrowed(self, rows: QuerySet[Goal], value: str) -> QuerySet[Goal]:
        return attention.NEEDS[value](rows)
