"""When the watchdog says that the queue hangs."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django_q.models import OrmQ

from goalsite.models import Canary
from goalsite.watchdog import SING, Watchdog, sing

pytestmark = pytest.mark.django_db


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watchdog(clock) -> Watchdog:
    return Watchdog(workers=2, patience=10, clock=clock)


def run_canary(watchdog: Watchdog, *, acknowledged: bool = True) -> None:
    sing(watchdog.number)
    if acknowledged:
        OrmQ.objects.filter(id=watchdog.message).delete()


def other_messages(count: int, lock_seconds: float) -> None:
    for _ in range(count):
        OrmQ.objects.create(key="goalsite", payload="", lock=timezone.now() + timedelta(seconds=lock_seconds))


def test_a_canary_that_comes_home_is_followed_by_the_next(watchdog, clock):
    for _ in range(20):
        assert watchdog.look()
        run_canary(watchdog)
        clock.now += 3
    assert watchdog.number == 20
    assert OrmQ.objects.count() == 0


def test_canaries_are_not_sent_faster_than_needed(watchdog, clock):
    for _ in range(10):
        assert watchdog.look()
        run_canary(watchdog)
        clock.now += 0.1
    assert watchdog.number == 1


def test_a_canary_that_nobody_runs_although_a_worker_is_free_is_a_hang(watchdog, clock):
    assert watchdog.look()
    other_messages(1, lock_seconds=60)
    clock.now += 9
    assert watchdog.look()
    clock.now += 2
    assert not watchdog.look()


def test_a_canary_may_wait_while_every_worker_is_busy(watchdog, clock):
    assert watchdog.look()
    other_messages(2, lock_seconds=60)
    for _ in range(10):
        clock.now += 5
        assert watchdog.look()
    OrmQ.objects.exclude(id=watchdog.message).update(lock=timezone.now() - timedelta(seconds=1))
    clock.now += 11
    assert not watchdog.look()


def test_a_canary_that_was_run_and_is_never_acknowledged_is_a_hang(watchdog, clock):
    assert watchdog.look()
    other_messages(5, lock_seconds=60)
    run_canary(watchdog, acknowledged=False)
    clock.now += 11
    assert not watchdog.look()


def test_after_an_absence_of_the_database_it_begins_anew(watchdog, clock):
    assert watchdog.look()
    clock.now += 100
    watchdog.forgive()
    assert watchdog.look()
    assert watchdog.number == 2


def test_an_old_canary_does_not_pass_for_a_new_one(watchdog, clock):
    assert watchdog.look()
    sing(watchdog.number)
    sing(watchdog.number - 1)
    assert Canary.objects.get().number_run == watchdog.number
    assert f"{sing.__module__}.{sing.__name__}" == SING
