"""One worker and one endpoint for the whole battery, on one database."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from tests.scenarios.stage import Stage
from tests.session import database_url


@pytest.fixture
def _django_db_helper() -> None:
    """In place of pytest-django's: the database is emptied once the worker has stopped, not beneath it."""


@pytest.fixture(scope="package")
def stage(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: Any) -> Iterator[Stage]:
    """The stage, for as long as scenarios are played."""
    with django_db_blocker.unblock():
        call_command("load_sops", verbosity=0)
        found = connection.settings_dict
        environment = {**os.environ, "DATABASE_URL": database_url(found["HOST"], found["NAME"])}
        stage = Stage(environment, tmp_path_factory.mktemp("scenarios"))
        yield stage
        stage.stop()
        call_command("flush", interactive=False, verbosity=0)
