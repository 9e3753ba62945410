"""When a far side that fails is left alone for a while: a circuit breaker's rule. Pure.

Closed: calls go through, and failures in a row are counted. Open: nobody calls until `retry_at`. Half-open: one caller,
the probe, tries it under a lease; its success closes the breaker, its failure opens it for twice as long.
`goals/effects/breakers.py` carries the rule out as SQL; a test holds the two equal.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from goals.retry import jitter
from goals.states import BreakerState

LONGEST_RETRY_AFTER = 3600.0
LARGEST_SPREAD = 5.0
LEAST_LOOK_SECONDS = 1.0


class Leave(StrEnum):
    """What a caller may do."""

    CALL = "call"
    PROBE = "probe"
    SLEEP = "sleep"


@dataclass(frozen=True, slots=True)
class Rule:
    """Open after `failures` in a row, for `seconds`, doubling with each opening in a row up to `longest`."""

    failures: int
    seconds: float
    longest: float

    def pause(self, openings: int, retry_after: float) -> float:
        """Return the seconds of a pause after `openings` earlier ones; what the far side asked for is the least."""
        return max(min(self.seconds * 2.0 ** min(openings, 30), self.longest), asked_pause(retry_after))


@dataclass(frozen=True, slots=True)
class Standing:
    """How a breaker stands. `openings` counts those since the far side last worked; `probe` is the probe's mark."""

    state: BreakerState = BreakerState.CLOSED
    failures: int = 0
    openings: int = 0
    opened_at: datetime | None = None
    retry_at: datetime | None = None
    probe: str = ""
    probe_until: datetime | None = None


def asked_pause(retry_after: float) -> float:
    return min(max(retry_after, 0.0), LONGEST_RETRY_AFTER)


def leave(standing: Standing, now: datetime) -> Leave:
    """Return whether to call, to try as the one probe, or to sleep until `wake_at`."""
    if standing.state == BreakerState.CLOSED:
        return Leave.CALL
    if standing.retry_at is not None and standing.retry_at > now:
        return Leave.SLEEP
    taken = standing.probe_until is not None and standing.probe_until > now
    return Leave.SLEEP if taken else Leave.PROBE


def probing(standing: Standing, mark: str, until: datetime) -> Standing:
    """Return the breaker with a probe at work; a dead one is another's turn after `until`."""
    return replace(standing, state=BreakerState.HALF_OPEN, probe=mark, probe_until=until)


def after_failure(standing: Standing, rule: Rule, now: datetime, retry_after: float, mark: str) -> Standing:
    """Return the breaker after a failed call. What was in flight when it opened does not open it once more."""
    counted = replace(standing, failures=standing.failures + 1)
    if standing.state == BreakerState.CLOSED:
        opens = counted.failures >= rule.failures
    else:
        opens = standing.state == BreakerState.HALF_OPEN and standing.probe == mark
    if opens:
        pause = timedelta(seconds=rule.pause(standing.openings, retry_after))
        return Standing(BreakerState.OPEN, counted.failures, standing.openings + 1, now, now + pause)
    if standing.retry_at is None or retry_after <= 0:
        return counted
    return replace(counted, retry_at=max(standing.retry_at, now + timedelta(seconds=asked_pause(retry_after))))


def after_success(standing: Standing, mark: str) -> Standing:
    """Return the breaker after a call that was answered; one that is not closed is closed by its probe alone."""
    is_probe = standing.state == BreakerState.HALF_OPEN and standing.probe == mark
    return Standing() if is_probe or standing.state == BreakerState.CLOSED else standing


def until(standing: Standing, now: datetime) -> datetime:
    """Return when it is worth looking again."""
    pause = pause_of(standing)
    if standing.state == BreakerState.HALF_OPEN and standing.probe_until is not None:
        return min(standing.probe_until, now + max(pause / 4, timedelta(seconds=LEAST_LOOK_SECONDS)))
    return standing.retry_at or now


def wake_at(standing: Standing, now: datetime, key: str) -> datetime:
    """Return when a sleeper wakes: spread by its key, so that not all come at once."""
    spread = min(pause_of(standing).total_seconds() / 4, LARGEST_SPREAD)
    return max(until(standing, now), now) + timedelta(seconds=spread * (2 * jitter(key) - 1))


def pause_of(standing: Standing) -> timedelta:
    if standing.retry_at is None or standing.opened_at is None:
        return timedelta(0)
    return standing.retry_at - standing.opened_at
