"""What an attempt came to, and when the next one is due. Pure but for the settings that are given."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from goals.models.delivery import DeliveryStatus
from goals.retry import jitter

FACTOR = 3.0
LONGEST_SECONDS = 21_600.0
LONGEST_ASKED_SECONDS = 86_400.0
GONE = 410


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came back: a status, or an error in words; `wait` is what the receiver asked for, in seconds."""

    status_code: int | None = None
    error: str = ""
    wait: float = 0.0

    @property
    def is_well(self) -> bool:
        return not self.error

    @property
    def is_gone(self) -> bool:
        """Whether the receiver says that it wants no more, for good."""
        return self.status_code == GONE


def answered(status_code: int, wait: float | None = None) -> Outcome:
    """Return the outcome of a reply: only 2xx is well, and a redirect is not followed."""
    if 200 <= status_code < 300:
        return Outcome(status_code)
    what = "it answered with a redirect, which is not followed" if 300 <= status_code < 400 else "it answered"
    return Outcome(status_code, f"{what} ({status_code})", wait or 0.0)


def next_status(outcome: Outcome, attempts: int, most: int) -> DeliveryStatus:
    """Return where a delivery stands after that many attempts."""
    if outcome.is_well:
        return DeliveryStatus.DELIVERED
    return DeliveryStatus.GIVEN_UP if attempts >= most or outcome.is_gone else DeliveryStatus.FAILED


def next_time(outcome: Outcome, attempts: int, base: float, key: str, now: datetime) -> datetime:
    """Return when it is tried next: three times as long each time, jittered, and no sooner than it was asked for."""
    grown = min(LONGEST_SECONDS, base * FACTOR ** min(attempts - 1, 30)) * jitter(f"{key}:{attempts}")
    return now + timedelta(seconds=max(grown, min(outcome.wait, LONGEST_ASKED_SECONDS)))
