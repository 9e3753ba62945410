"""Fixtures that every room's tests share. The cluster itself is started by `tests.settings`."""

import os

import pytest
from django.db import connection
from hypothesis import HealthCheck, settings

from tests.session import database_url

# How long an example takes says more about the machine than about the code; in CI the examples are the same each time.
settings.register_profile(
    "goalsite", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("goalsite")


@pytest.fixture
def site_environment(transactional_db: None) -> dict[str, str]:
    """The environment in which a child process works on this test's database."""
    found = connection.settings_dict
    return {**os.environ, "DATABASE_URL": database_url(found["HOST"], found["NAME"])}
