"""Versions under races, with real connections."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import close_old_connections, connection, transaction

from artifacts import writing
from artifacts.exceptions import VersionsContended
from artifacts.models import Artifact

pytestmark = pytest.mark.django_db(transaction=True)


def in_own_connection(work):
    def run(*arguments):
        try:
            return work(*arguments)
        finally:
            connection.close()
            close_old_connections()

    return run


def test_a_second_writer_waits_for_the_first_and_takes_the_next_version(make):
    inside, may_end = threading.Event(), threading.Event()

    @in_own_connection
    def first():
        with transaction.atomic():
            version = make(value="first").version
            inside.set()
            assert may_end.wait(60)
        return version

    @in_own_connection
    def second():
        assert inside.wait(60)
        with transaction.atomic():
            before = make("before").version
            version = make(value="second").version
            after = make("after").version
        return before, version, after

    with ThreadPoolExecutor(2) as pool:
        one, two = pool.submit(first), pool.submit(second)
        assert inside.wait(60)
        wait_for_a_blocked_statement()
        assert not two.done()
        may_end.set()
        assert (one.result(60), two.result(60)) == (1, (1, 2, 1))


def wait_for_a_blocked_statement():
    for _ in range(3000):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if cursor.fetchone()[0]:
                return
        threading.Event().wait(0.02)
    pytest.fail("nobody waited")


def test_a_second_writer_takes_the_version_that_the_first_rolled_back(make):
    inside, may_end = threading.Event(), threading.Event()

    @in_own_connection
    def first():
        with transaction.atomic():
            make(value="first")
            inside.set()
            assert may_end.wait(60)
            transaction.set_rollback(True)

    @in_own_connection
    def second():
        return make(value="second").version

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(first)
        assert inside.wait(60)
        two = pool.submit(second)
        wait_for_a_blocked_statement()
        may_end.set()
        one.result(60)
        assert two.result(60) == 1
    assert [artifact.content() for artifact in Artifact.objects.all()] == ["second"]


def test_many_writers_of_one_name_make_versions_without_a_gap_and_lose_nothing(make):
    source = make("source")

    @in_own_connection
    def write(writer):
        return [make(value=[writer, number], derived_from=[source]).version for number in range(10)]

    with ThreadPoolExecutor(6) as pool:
        versions = list(pool.map(write, range(6)))
    assert sorted(itertools.chain(*versions)) == list(range(1, 61))
    assert all(mine == sorted(mine) for mine in versions)
    written = [artifact.content() for artifact in Artifact.objects.filter(name="options")]
    assert sorted(written) == [[writer, number] for writer in range(6) for number in range(10)]
    assert source.derived.count() == 60


def test_giving_up_is_an_error_with_a_name(make, monkeypatch):
    make()
    stale = writing.INSERT.replace("max(version)", "min(version) - 1")
    monkeypatch.setattr(writing, "INSERT", stale)
    with pytest.raises(VersionsContended, match="@options first, 100 times"):
        make()
