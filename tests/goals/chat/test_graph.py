"""The page of one goal: who may see it, and what it is told."""

import pytest
from django.test import Client
from django.urls import reverse

from goals import services
from goals.models import Goal

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPT = {"X-Requested-With": "goalsite"}


@pytest.fixture
def ada(owner) -> Client:
    client = Client()
    client.force_login(owner)
    return client


@pytest.fixture
def eve(django_user_model) -> Client:
    client = Client()
    client.force_login(django_user_model.objects.create_user("eve"))
    return client


@pytest.fixture
def goal(owner, conversation) -> Goal:
    return services.submit(owner=owner, objective="Write a report", conversation=conversation)


def addresses(goal: Goal) -> list[str]:
    return [reverse(name, args=[goal.pk]) for name in ("goal_page", "goal_head")]


def test_nobody_sees_the_goal_of_another(ada, eve, goal):
    for address in addresses(goal):
        assert ada.get(address).status_code == 200, address
        assert eve.get(address).status_code == 404, address
        assert eve.get(address, headers=SCRIPT).json()["message"]
        assert Client().get(address).status_code == 302
        assert Client().get(address, headers=SCRIPT).status_code == 401


def test_the_conversations_panel_leads_to_the_goals_page(ada, goal):
    panel = ada.get(reverse("panel", args=[goal.conversation_id])).content.decode()
    assert reverse("goal_page", args=[goal.pk]) in panel
