"""Retry: bounded, growing, jittered by a hash, and never for what would only fail again."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from goals.decisions import Failure, FailureKind
from goals.retry import FINAL, LONGEST_SECONDS, backoff_seconds, decide_retry, jitter
from tests.goals.core.build import NOW

attempts = st.integers(1, 60)
keys = st.text(max_size=40)
failures = st.builds(
    Failure,
    st.sampled_from(FailureKind),
    st.just("why"),
    st.booleans(),
    st.none() | st.floats(-10, 1e6, allow_nan=False),
)


@given(keys)
def test_jitter_is_between_half_and_one(key):
    assert 0.5 <= jitter(key) < 1.0
    assert jitter(key) == jitter(key)


@given(attempts, keys)
def test_backoff_is_bounded_and_grows_by_its_attempt(attempt, key):
    seconds = backoff_seconds(attempt, key)
    assert 0.5 * min(LONGEST_SECONDS, 2 ** (attempt - 1)) <= seconds <= min(LONGEST_SECONDS, 2 ** (attempt - 1))


def test_backoff_differs_between_nodes_that_failed_together():
    assert len({backoff_seconds(2, f"node{i}") for i in range(20)}) == 20


@given(failures, attempts, st.integers(0, 10), keys)
def test_a_retry_is_decided_exactly_when_it_may_help_and_is_not_spent(failure, attempt, retries, key):
    again = decide_retry(failure=failure, attempt=attempt, retries=retries, key=key, now=NOW)
    expected = failure.retryable and failure.kind not in FINAL and attempt <= retries
    assert (again is not None) == expected
    if again is not None:
        assert NOW < again.wake_at <= NOW + timedelta(hours=1)
        assert again.wake_at >= NOW + timedelta(seconds=min(failure.retry_after or 0, 3600))


@given(failures, st.integers(0, 10), keys)
def test_no_node_is_tried_more_than_its_retries_and_once(failure, retries, key):
    tries = 1
    while decide_retry(failure=failure, attempt=tries, retries=retries, key=key, now=NOW):
        tries += 1
    assert tries <= retries + 1


@given(failures)
def test_a_failure_reads_back_as_it_was_written(failure):
    assert Failure.from_json(failure.as_json()) == failure


def test_nothing_reads_back_as_no_failure():
    assert Failure.from_json(None) is None
    assert Failure.from_json({}) is None
