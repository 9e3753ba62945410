"""A breaker's rule: it opens for what speaks of the far side, one probe tries it, and nobody is held back for ever."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from goals import breaker
from goals.breaker import Leave, Rule, Standing
from goals.states import BreakerState
from tests.goals.core.build import NOW

RULE = Rule(failures=3, seconds=10, longest=60)


def seconds(number):
    return timedelta(seconds=number)


def failed(standing, times=1, now=NOW, retry_after=0.0, mark=""):
    for _ in range(times):
        standing = breaker.after_failure(standing, RULE, now, retry_after, mark)
    return standing


def failed_probe(standing, now, retry_after=0.0):
    return failed(breaker.probing(standing, "p", now + seconds(9)), 1, now, retry_after, "p")


def test_it_opens_after_so_many_failures_in_a_row_and_not_before():
    assert failed(Standing(), 2).state == BreakerState.CLOSED
    assert failed(Standing(), 3) == Standing(BreakerState.OPEN, 3, 1, NOW, NOW + seconds(10))
    interrupted = breaker.after_success(failed(Standing(), 2), "")
    assert failed(interrupted, 2).state == BreakerState.CLOSED


def test_while_it_is_open_nobody_calls_and_then_one_probes():
    standing = failed(Standing(), 3)
    assert breaker.leave(Standing(), NOW) is Leave.CALL
    assert breaker.leave(standing, NOW + seconds(9.9)) is Leave.SLEEP
    assert breaker.leave(standing, NOW + seconds(10)) is Leave.PROBE
    tried = breaker.probing(standing, "p", NOW + seconds(20))
    assert breaker.leave(tried, NOW + seconds(19)) is Leave.SLEEP
    assert breaker.leave(tried, NOW + seconds(20)) is Leave.PROBE, "a dead probe blocks for ever"


def test_its_probe_alone_closes_it():
    tried = breaker.probing(failed(Standing(), 3), "p", NOW + seconds(20))
    assert breaker.after_success(tried, "p") == Standing()
    assert breaker.after_success(tried, "q") == tried
    assert breaker.after_success(tried, "") == tried
    opened = failed(Standing(), 3)
    assert breaker.after_success(opened, "") == opened


def test_each_failed_probe_doubles_the_pause_up_to_its_cap():
    standing, now, pauses = failed(Standing(), 3), NOW, []
    for _ in range(5):
        pauses.append((standing.retry_at - standing.opened_at).total_seconds())
        now = standing.retry_at
        standing = failed_probe(standing, now)
    assert pauses == [10, 20, 40, 60, 60]
    assert failed(breaker.after_success(breaker.probing(standing, "p", now), "p"), 3).retry_at == NOW + seconds(10)


def test_what_was_in_flight_when_it_opened_does_not_open_it_once_more():
    standing = failed(Standing(), 3)
    again = failed(standing, 5, NOW + seconds(5))
    assert (again.openings, again.retry_at) == (1, standing.retry_at)
    tried = breaker.probing(standing, "p", NOW + seconds(30))
    assert failed(tried, 1, NOW + seconds(12), mark="q") == replace(tried, failures=4)


def test_what_the_far_side_asked_for_is_the_least_pause():
    assert failed(Standing(), 3, retry_after=25).retry_at == NOW + seconds(25)
    assert failed(Standing(), 3, retry_after=5).retry_at == NOW + seconds(10)
    assert failed(failed(Standing(), 3), 1, NOW + seconds(1), retry_after=30).retry_at == NOW + seconds(31)
    assert failed(Standing(), 3, retry_after=1e9).retry_at == NOW + seconds(3600)
    assert failed_probe(failed(Standing(), 3), NOW + seconds(10), 100).retry_at == NOW + seconds(110)


def test_sleepers_do_not_all_come_at_once_and_none_before_its_time():
    standing = failed(Standing(), 3)
    times = [breaker.wake_at(standing, NOW, f"goal{n}") for n in range(50)]
    assert len(set(times)) == 50
    assert all(standing.retry_at <= at <= standing.retry_at + seconds(2.5) for at in times)


def test_while_a_probe_is_at_work_sleepers_look_again_before_the_pause_is_over_once_more():
    tried = breaker.probing(failed(Standing(), 3), "p", NOW + seconds(200))
    assert breaker.until(tried, NOW + seconds(10)) == NOW + seconds(12.5)
    assert breaker.until(breaker.probing(tried, "p", NOW + seconds(11)), NOW + seconds(10)) == NOW + seconds(11)


def test_however_short_the_pause_nobody_looks_more_often_than_once_a_second():
    short = replace(RULE, seconds=0.4)
    opened = breaker.after_failure(Standing(failures=2), short, NOW, 0.0, "")
    tried = breaker.probing(opened, "p", NOW + seconds(200))
    assert breaker.until(tried, NOW + seconds(10)) == NOW + seconds(11)


acts = st.lists(
    st.tuples(st.sampled_from(["fail", "succeed", "probe"]), st.sampled_from(["", "p", "q"]), st.floats(0, 100)),
    max_size=40,
)


@given(acts, st.floats(0, 5000))
def test_whatever_happens_it_is_tried_again_in_the_end(history, retry_after):
    standing, now = Standing(), NOW
    for act, mark, later in history:
        now += seconds(later)
        if act == "fail":
            standing = failed(standing, 1, now, retry_after, mark)
        elif act == "succeed":
            standing = breaker.after_success(standing, mark)
        elif breaker.leave(standing, now) is Leave.PROBE:
            standing = breaker.probing(standing, mark or "p", now + seconds(30))
    assert (standing.state == BreakerState.CLOSED) == (standing.retry_at is None)
    assert breaker.leave(standing, now + seconds(3601)) is not Leave.SLEEP
    assert breaker.wake_at(standing, now, "k") <= now + seconds(3601 + breaker.LARGEST_SPREAD)
