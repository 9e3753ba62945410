"""Fixtures that every room's tests share, and how the suite is spread over processes."""

import os
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import TransactionTestCase
from hypothesis import HealthCheck, settings

from tests import emptying, session, spread

# How long an example takes says more about the machine than about the code; in CI the examples are the same each time.
settings.register_profile(
    "goalsite", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("goalsite")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    return spread.workers_for(config)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> spread.ByFile | None:
    return spread.ByFile(config, log) if config.option.dist == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    return spread.sendable((yield))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        spread.sort(items)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """Start the cluster when the first test wants a database."""
    session.start_cluster()


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Nothing is dropped at the end: the whole cluster goes."""
    return True


@pytest.fixture(scope="session", autouse=True)
def emptied_quickly() -> Iterator[None]:
    """In place of a flush."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", emptying.empty)
        yield


@pytest.fixture
def site_environment(transactional_db: None) -> dict[str, str]:
    """The environment in which a child process works on this test's database."""
    found = connection.settings_dict
    return {**os.environ, "DATABASE_URL": session.database_url(found["HOST"], found["NAME"])}
