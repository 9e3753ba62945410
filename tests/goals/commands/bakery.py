"""Goals to move: one with a plan of three steps, and three of two people in three states."""

import pytest
from django.contrib.auth.models import User

from goals import services
from goalsite.login_once import operator
from tests.goals.effects.work import plan, step


@pytest.fixture(autouse=True)
def site(settings, tmp_path, db):
    settings.GOALSITE_DATA_DIR = tmp_path
    return operator()


@pytest.fixture
def ada(site):
    return User.objects.create_user("ada")


@pytest.fixture
def bob(site):
    return User.objects.create_user("bob")


@pytest.fixture
def goal(ada):
    """A goal of three steps, the first of them at work."""
    made = services.submit(owner=ada, objective="Bake\nbread")
    columns = {"description": "with care"}
    step(made, 0, "execute", {"instructions": "knead"}, status="active", **columns)
    step(made, 1, "execute", {"instructions": "bake"}, **columns)
    step(made, 2, "execute", {"instructions": "taste"}, **columns)
    return plan(made)


@pytest.fixture
def many(ada, bob):
    """Three goals of two people in three states: live, paused by ada, and given up."""
    live, paused, given_up = (services.submit(owner=who, objective=f"Goal of {who}") for who in (ada, bob, bob))
    services.pause(bob, paused.pk, reason="the oven is cold")
    services.cancel(bob, given_up.pk)
    return live, paused, given_up
