"""The queue on Postgres, one process at a time."""

import os
import threading
import time
from datetime import timedelta

import psycopg
import pytest
from django.db import connection, transaction
from django.utils import timezone
from django_q.models import OrmQ

from goalsite import forking, plain_connection, queue_lease, queueing
from goalsite.broker import PostgresBroker
from goalsite.pacemaker import Pacemaker
from tests import planner

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def broker():
    found = PostgresBroker("test")
    yield found
    found._hang_up()


def test_messages_come_in_order_and_each_is_claimed_once(broker):
    sent = [broker.enqueue(f"message {number}") for number in range(3)]
    other = PostgresBroker("test")
    try:
        claimed = [broker.dequeue(), other.dequeue(), broker.dequeue()]
    finally:
        other._hang_up()
    assert [found[0] for found in claimed] == [(sent[n], f"message {n}") for n in range(3)]
    assert broker.dequeue() is None


def test_ten_threads_claim_a_hundred_messages_once_each(broker):
    for number in range(100):
        broker.enqueue(str(number))
    claimed: list[str] = []

    def claim() -> None:
        mine = PostgresBroker("test")
        while found := mine.dequeue():
            claimed.extend(payload for _, payload in found)
        mine._hang_up()
        connection.close()

    threads = [threading.Thread(target=claim) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed, key=int) == [str(number) for number in range(100)]


def test_a_message_at_a_time_is_claimed_whatever_the_planner_believes(broker):
    sent = [broker.enqueue(f"message {number}") for number in range(3)]
    planner.believes_it_almost_empty("django_q_ormq")
    assert broker.dequeue() == [(sent[0], "message 0")]


def test_a_message_is_part_of_its_transaction(broker):
    with transaction.atomic():
        broker.enqueue("never")
        transaction.set_rollback(True)
    assert broker.dequeue() is None


def test_a_waiting_broker_hears_of_a_message_at_once(broker, monkeypatch):
    monkeypatch.setattr("goalsite.broker.LONGEST_WAIT", 60.0)
    found = []
    waiting = threading.Thread(target=lambda: found.extend(broker.dequeue() or broker.dequeue() or []))
    waiting.start()
    time.sleep(0.3)
    PostgresBroker("test").enqueue("hello")
    waiting.join(60)
    assert [payload for _, payload in found] == ["hello"]


def test_a_lost_connection_costs_a_pause_and_no_message(broker):
    broker.dequeue()
    sent = broker.enqueue("hello")
    with psycopg.connect(**plain_connection.parameters(), autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [broker._listener.info.backend_pid])
    assert broker.dequeue() is None
    assert broker.dequeue() == [(sent, "hello")]


def test_a_message_whose_lease_ended_is_claimed_again(broker, settings):
    settings.GOALSITE_LEASE_SECONDS = 1
    sent = broker.enqueue("hello")
    assert broker.dequeue() == [(sent, "hello")]
    assert broker.dequeue() == [(sent, "hello")] or broker.dequeue() == [(sent, "hello")]


def test_a_beating_task_keeps_its_lease_and_an_ended_one_does_not(broker, settings):
    settings.GOALSITE_LEASE_SECONDS = 2
    sent = broker.enqueue("hello")
    broker.dequeue()
    queue_lease.begin({"ack_id": sent})
    time.sleep(2.5)
    assert OrmQ.objects.get(id=sent).lock > timezone.now()
    assert broker.dequeue() is None
    heartbeat = queue_lease._running[sent]
    queue_lease.end({"ack_id": sent})
    heartbeat.thread.join(60)
    OrmQ.objects.filter(id=sent).update(lock=timezone.now() - timedelta(seconds=1))
    assert broker.dequeue() == [(sent, "hello")]


def test_a_message_of_redis_has_no_lease():
    queue_lease.begin({"ack_id": None})
    queue_lease.end({"ack_id": None})
    assert not queue_lease._running


def test_the_pacemaker_sends_no_more_than_there_are_workers():
    pacemaker = Pacemaker(workers=3)
    assert [pacemaker.beat() for _ in range(5)] == [True, True, True, False, False]
    assert queueing.waiting() == 3


def test_the_pacemaker_hears_word_when_its_transaction_commits():
    pacemaker = Pacemaker(workers=1)
    assert not pacemaker.wait(0.05)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify('goalsite_wake', '')")
        assert not pacemaker.wait(0.1)
    assert pacemaker.wait(60)
    pacemaker.hang_up()


def test_a_forked_child_leaves_the_parents_connections_alone():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        mine = cursor.fetchone()[0]
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            os.write(sink, str(cursor.fetchone()[0]).encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = int(os.read(source, 20))
    os.close(source)
    os.close(sink)
    assert theirs != mine
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        assert cursor.fetchone()[0] == mine
    assert forking._left_behind == []


def test_a_claim_does_not_wait_for_a_message_that_another_is_claiming(broker):
    first, second = broker.enqueue("first"), broker.enqueue("second")
    with psycopg.connect(**plain_connection.parameters()) as other:
        other.execute("SELECT id FROM django_q_ormq WHERE id = %s FOR UPDATE", [first])
        broker._listening().execute("SET lock_timeout = '1s'")
        assert broker.dequeue() == [(second, "second")]
        other.rollback()
    assert broker.dequeue() == [(first, "first")]
