"""Breakers are shared by all workers, and one probe is let through at a time."""

import subprocess
import sys

import pytest
from django.utils import timezone

from goals.breaker import Standing
from goals.effects import breakers
from goals.exceptions import BreakerOpen, StaleGoal
from goals.llm.errors import ModelTimeout
from goals.models import Breaker
from goals.states import BreakerState
from tests.goals.effects.breakers.far import FAR, call, due, fail, only

ANOTHER = """
import sys
import django
django.setup()
from goals.effects import breakers
from goals.exceptions import BreakerOpen
from goals.llm.errors import ModelUnavailable
for act in sys.stdin:
    breakers.troubled.forget()
    try:
        with breakers.permitted("tool", "far", key="k", seconds=5) as given, breakers.told(given):
            if act.strip() == "fail":
                raise ModelUnavailable("busy")
        print("called", flush=True)
    except BreakerOpen:
        print("asleep", flush=True)
    except ModelUnavailable:
        print("failed", flush=True)
"""


@pytest.fixture
def elsewhere(site_environment):
    """Another worker's process, which makes one call each time that it is told to."""
    environment = {**site_environment, "GOALSITE_BREAKER_FAILURES": "3", "GOALSITE_BREAKER_SECONDS": "60"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", ANOTHER], env=environment, **pipes) as process:

        def act(name):
            process.stdin.write(f"{name}\n")
            process.stdin.flush()
            return process.stdout.readline().strip()

        yield act
        process.stdin.close()


def test_two_processes_share_one_breaker(elsewhere, settings):
    settings.GOALSITE_BREAKER_SECONDS = settings.GOALSITE_BREAKER_LONGEST_SECONDS = 60
    assert elsewhere("fail") == "failed"
    fail(2)
    assert only().state == BreakerState.OPEN
    assert elsewhere("call") == "asleep"
    Breaker.objects.update(retry_at=timezone.now())
    assert elsewhere("call") == "called"
    assert only().standing == Standing()


def test_one_probe_is_let_through_at_a_time():
    due()
    with breakers.permitted("tool", "far", key="k", seconds=5) as probe:
        assert probe.mark
        with pytest.raises(BreakerOpen, match="being tried"):
            call()
        with breakers.told(probe):
            pass
    assert only().standing == Standing()


@pytest.fixture
def beaten(monkeypatch):
    """Ask for leave with a look at the breaker that is older than what another caller has done since."""

    def ask(meanwhile):
        old = due()
        meanwhile()
        rows = type("Rows", (), {"first": lambda _: old})()
        monkeypatch.setattr(breakers.Breaker.objects, "filter", lambda **_: rows)
        try:
            return breakers._ask(breakers.Pass(**FAR, key="late"), 5)
        finally:
            monkeypatch.undo()

    return ask


def probe():
    return breakers._ask(breakers.Pass(**FAR, key="first"), 5)


def test_a_probe_that_was_beaten_to_it_sleeps(beaten):
    with pytest.raises(BreakerOpen, match="is being tried"):
        beaten(probe)
    assert only().state == BreakerState.HALF_OPEN


def test_a_probe_that_was_beaten_to_it_by_one_that_is_through_calls(beaten):
    assert beaten(lambda: breakers._succeed(probe())).mark == ""
    assert only().state == BreakerState.CLOSED


def test_a_probe_gives_back_its_own_leave_and_nobody_elses():
    due()
    dead = probe()
    Breaker.objects.update(probe_until=timezone.now())
    living = probe()
    breakers._tell(dead, ValueError("a bug"), True)
    assert (only().state, only().probe) == (BreakerState.HALF_OPEN, living.mark)


def test_a_dead_probe_blocks_nobody_for_ever():
    due()
    breakers._ask(breakers.Pass(**FAR, key="k"), 5)
    Breaker.objects.update(probe_until=timezone.now())
    call()
    assert only().state == BreakerState.CLOSED


def test_a_probe_that_was_never_sent_is_given_back():
    due()
    with pytest.raises(StaleGoal), breakers.permitted("tool", "far", key="k", seconds=5):
        raise StaleGoal
    assert only().state == BreakerState.OPEN
    call()
    assert only().state == BreakerState.CLOSED


@pytest.mark.parametrize("error", [ValueError("a bug"), ModelTimeout("slow")])
def test_a_probe_that_found_nothing_out_is_given_back(error):
    """The call comes after the block in which it was written down."""
    due()
    with breakers.permitted("tool", "far", key="k", seconds=5) as given:
        pass
    with pytest.raises(type(error)), breakers.told(given, patient=False):
        raise error
    assert (only().state, only().openings) == ("open", 1)
    call()
    assert only().state == BreakerState.CLOSED


def test_a_far_side_whose_row_is_gone_is_called():
    breakers.troubled.holds("tool", "far")
    breakers.troubled.remember("tool", "far")
    call()
    assert not Breaker.objects.exists()


def test_what_is_remembered_holds_nobody_back():
    fail(3)
    Breaker.objects.update(state="closed", retry_at=None)
    assert breakers.troubled.remembers("tool", "far")
    call()
    assert (only().state, only().failures) == (BreakerState.CLOSED, 0)
