"""Filters of lists, refused by name when a value is unknown."""

from typing import Any

import django_filters as filters
from django.db.models import Q, QuerySet, TextChoices

from goals.models import Delivery, Goal, ModelCall, Question, ToolCall
from goals.models.delivery import DeliveryStatus
from goals.states import (
    EffectStatus,
    GoalStatus,
    Mode,
    Outcome,
    PauseReason,
    QuestionKind,
    QuestionStatus,
    WaitsFor,
)


class Strict(filters.FilterSet):
    """A filter that is there says something: an empty or blank one is told, not left out."""

    def is_valid(self) -> bool:
        for name in self.filters:
            if not self.data.get(name, name).strip():
                self.form.add_error(name, "must not be empty; leave it out instead")
        return bool(super().is_valid())


def one_of(values: type[TextChoices]) -> filters.MultipleChoiceFilter:
    """Some of the values; may come more than once."""
    told = f"'%(value)s' is none of {', '.join(values.values)}"
    return filters.MultipleChoiceFilter(choices=values.choices, error_messages={"invalid_choice": told})


def when(field: str, lookup: str) -> filters.IsoDateTimeFilter:
    """One end of a range of time."""
    told = "must be a time such as 2026-11-22T09:30:00Z"
    return filters.IsoDateTimeFilter(field_name=field, lookup_expr=lookup, error_messages={"invalid": told})


class GoalFilter(Strict):
    """`status`, `outcome`, `mode`, `paused_for` and `waits_for` may come more than once.

    `q` are words of the objective or of its reason, `owner` is a username; a range of time begins at `_after`
    and ends before `_before`.
    """

    status = one_of(GoalStatus)
    outcome = one_of(Outcome)
    mode = one_of(Mode)
    paused_for = one_of(PauseReason)
    waits_for = one_of(WaitsFor)
    owner = filters.CharFilter(field_name="owner__username", max_length=150)
    q = filters.CharFilter(method="search", max_length=200)
    sop = filters.CharFilter(field_name="sop_slug", max_length=100)
    conversation = filters.UUIDFilter(field_name="conversation_id")
    created_after = when("created_at", "gte")
    created_before = when("created_at", "lt")
    finished_after = when("finished_at", "gte")
    finished_before = when("finished_at", "lt")

    class Meta:
        model = Goal
        fields: list[str] = []

    def search(self, rows: QuerySet[Goal], name: str, value: Any) -> QuerySet[Goal]:
        for word in value.split()[:10]:
            rows = rows.filter(Q(objective__has_words=word) | Q(reason__has_words=word))
        return rows


class PartFilter(Strict):
    """Questions of one goal: `status` and `kind`, which may come more than once."""

    status = one_of(QuestionStatus)
    kind = one_of(QuestionKind)

    class Meta:
        model = Question
        fields: list[str] = []


class QuestionFilter(PartFilter):
    """Of everything one may see: by `goal`, too."""

    goal = filters.UUIDFilter(field_name="goal_id")


class ModelCallFilter(Strict):
    """`status` (may come more than once), `purpose` and `role`."""

    status = one_of(EffectStatus)
    purpose = filters.CharFilter(max_length=40)
    role = filters.CharFilter(max_length=20)

    class Meta:
        model = ModelCall
        fields: list[str] = []


class ToolCallFilter(Strict):
    """`status` (may come more than once) and `tool`."""

    status = one_of(EffectStatus)
    tool = filters.CharFilter(max_length=100)

    class Meta:
        model = ToolCall
        fields: list[str] = []


class DeliveryFilter(Strict):
    """`status`, which may come more than once."""

    status = one_of(DeliveryStatus)

    class Meta:
        model = Delivery
        fields: list[str] = []
