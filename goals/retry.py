"""Whether and when something that failed is tried again. Pure; no clock and no dice: the jitter comes from a hash.

Source: DESIGN section 5 (`retry` = 2, exponential backoff with jitter, as a wake time).
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from goals.decisions import Failure, FailureKind

BASE_SECONDS = 1.0
LONGEST_SECONDS = 300.0
FINAL = frozenset(
    {FailureKind.REFUSED, FailureKind.UNACHIEVABLE, FailureKind.CHILD, FailureKind.MISSING_TOOL, FailureKind.INPUT}
)


@dataclass(frozen=True, slots=True)
class RetryDecision:
    """Try again, not before `wake_at`."""

    wake_at: datetime


def jitter(key: str) -> float:
    """Return a number in [0.5, 1.0) that depends on nothing but `key`."""
    digest = hashlib.sha256(key.encode()).digest()
    return 0.5 + int.from_bytes(digest[:4], "big") / 2**33


def backoff_seconds(attempt: int, key: str) -> float:
    """Return the wait after failed attempt number `attempt` (1 is the first): doubling, capped, jittered."""
    return min(LONGEST_SECONDS, BASE_SECONDS * 2.0 ** min(attempt - 1, 16)) * jitter(f"{key}:{attempt}")


def decide_retry(*, failure: Failure, attempt: int, retries: int, key: str, now: datetime) -> RetryDecision | None:
    """Decide about failed attempt number `attempt`; None means that trying again would not help or is spent."""
    if not failure.retryable or failure.kind in FINAL or attempt > retries:
        return None
    seconds = max(backoff_seconds(attempt, key), min(failure.retry_after or 0.0, 3600.0))
    return RetryDecision(now + timedelta(seconds=seconds))
