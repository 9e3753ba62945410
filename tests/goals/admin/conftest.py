"""The rows of the API's tests, seen through the console."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.goals.api.conftest import *  # noqa: F403
from tests.goals.api.conftest import permitted


def console_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def root(db):
    return User.objects.create_superuser("root")


@pytest.fixture
def console(root):
    """The console as a superuser sees it."""
    return console_of(root)


@pytest.fixture
def staff(bob):
    """Somebody who may look into the console, and owns nothing of ada's."""
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    return permitted(User.objects.get(pk=bob.pk))
