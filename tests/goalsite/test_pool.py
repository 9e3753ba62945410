"""The pool asks the server only about connections that it cannot judge by itself."""

import time
from contextlib import closing

import psycopg
import pytest
from django.db import connections

from goalsite import plain_connection
from goalsite.postgresql.base import TRUSTED_SECONDS, look


@pytest.fixture
def link(monkeypatch):
    """A connection that was given back a moment ago; `link.asked` says how often the server was asked."""
    with closing(psycopg.connect(**plain_connection.parameters(), autocommit=True)) as link:
        link.asked, execute = 0, psycopg.Connection.execute

        def asking(connection, *args, **kwargs):
            link.asked += connection is link
            return execute(connection, *args, **kwargs)

        monkeypatch.setattr(psycopg.Connection, "execute", asking)
        link.used_at = time.monotonic()
        yield link


def test_a_connection_that_was_used_a_moment_ago_is_not_asked(link):
    look(link)
    assert link.asked == 0


def test_a_connection_that_was_idle_for_a_while_is_asked(link):
    link.used_at -= TRUSTED_SECONDS + 0.1
    look(link)
    assert link.asked == 1


def test_a_connection_that_the_server_has_closed_is_noticed_however_fresh(link):
    with closing(psycopg.connect(**plain_connection.parameters(), autocommit=True)) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [link.info.backend_pid])
    with pytest.raises(psycopg.OperationalError):
        look(link)


@pytest.mark.django_db(transaction=True)
def test_whoever_comes_next_gets_a_live_connection():
    connection = connections["default"]
    connection.ensure_connection()
    assert connection.pool._check is look
    pid = connection.connection.info.backend_pid
    connection.close()
    with closing(psycopg.connect(**plain_connection.parameters(), autocommit=True)) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        assert cursor.fetchone()[0] != pid
