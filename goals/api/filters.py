"""Filters of lists, refused by name when a value is unknown."""

from typing import Any

import django_filters as filters
from django.db.models import Q, QuerySet

from goals.models import Goal, Question
from goals.states import GoalStatus, QuestionStatus


class Strict(filters.FilterSet):
    """A filter that is there says something: an empty one is told, not left out."""

    def is_valid(self) -> bool:
        for name in self.filters:
            if self.data.get(name) == "":
                self.form.add_error(name, "must not be empty; leave it out instead")
        return bool(super().is_valid())


class GoalFilter(Strict):
    """`status` (repeatable), `owner` (a username), `q` (words of the objective or of its reason)."""

    status = filters.MultipleChoiceFilter(choices=GoalStatus.choices)
    owner = filters.CharFilter(field_name="owner__username", max_length=150)
    q = filters.CharFilter(method="search", max_length=200)

    class Meta:
        model = Goal
        fields: list[str] = []

    def search(self, rows: QuerySet[Goal], name: str, value: Any) -> QuerySet[Goal]:
        for word in value.split()[:10]:
            rows = rows.filter(Q(objective__icontains=word) | Q(reason__icontains=word))
        return rows


class QuestionFilter(Strict):
    """`status` (repeatable) and `goal`."""

    status = filters.MultipleChoiceFilter(choices=QuestionStatus.choices)
    goal = filters.UUIDFilter(field_name="goal_id")

    class Meta:
        model = Question
        fields: list[str] = []
