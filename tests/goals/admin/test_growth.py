"""However many rows a page shows, it takes the same number of statements: lists of the console and of the API."""

from typing import Any

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from goals.models import Goal
from tests.benchmarks.full import HEAVY, fill

pytestmark = pytest.mark.django_db(transaction=True)
FEW, MANY = 3, 40
LISTS = ("goals", "questions", "conversations")


@pytest.fixture
def filled(django_user_model: Any) -> Client:
    """A site with some goals of everybody, and an operator who looks at them."""
    operator = django_user_model.objects.create_superuser("operator")
    fill(60, told=lambda line: None)
    Goal.objects.filter(owner__username=HEAVY).update(owner=operator)
    client = Client()
    client.force_login(operator)
    return client


def statements(client: Client, url: str) -> int:
    with CaptureQueriesContext(connection) as taken:
        assert client.get(url).status_code == 200, url
    return len(taken)


def test_no_page_takes_more_statements_for_more_rows(filled, monkeypatch):
    filled.get(reverse("admin:index"))  # what is looked up once a process is no page's
    grown = {}
    for model, shown in admin.site._registry.items():
        if model.objects.count() <= FEW:
            continue
        url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        counts = []
        for rows in (FEW, MANY):
            monkeypatch.setattr(shown, "list_per_page", rows)
            counts.append(statements(filled, url))
        grown[model._meta.label] = counts
    for name in LISTS:
        grown[name] = [statements(filled, f"/api/{name}/?page_size={rows}") for rows in (FEW, MANY)]
    assert len(grown) > 12
    assert {name: counts for name, counts in grown.items() if counts[0] < counts[1]} == {}

    assert statements(filled, reverse("admin:index")) <= 40
    one, other = Goal.objects.filter(status="completed")[:2]
    counts = [statements(filled, reverse("admin:goals_goal_change", args=[goal.pk])) for goal in (one, other)]
    assert counts[1] <= counts[0] <= 40
