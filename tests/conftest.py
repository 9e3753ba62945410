"""Fixtures that every room's tests share. The cluster itself is started by `tests.settings`."""

import os

import pytest
from django.db import connection

from tests.session import database_url


@pytest.fixture
def site_environment(transactional_db: None) -> dict[str, str]:
    """The environment in which a child process works on this test's database."""
    found = connection.settings_dict
    return {**os.environ, "DATABASE_URL": database_url(found["HOST"], found["NAME"])}
