"""Circuit breakers in Postgres, so that all workers share them: `goals.breaker` is the rule, one row a far side.

Where nothing fails a call costs no statement: a process reads once a second which far sides are in trouble. A breaker
that is not closed is looked at afresh, so what is remembered can only let a few calls through, never hold one back.
"""

import logging
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from artifacts.clean import clean_text
from goals import breaker, rows
from goals.breaker import Leave, Rule
from goals.connections import pooled
from goals.exceptions import BreakerOpen
from goals.llm.errors import ModelError, ModelTimeout, ModelUnavailable
from goals.models import Breaker
from goals.states import BreakerKind, BreakerState
from goals.tools.errors import OutcomeUnknown, ToolError, ToolInputError, ToolTimeout

logger = logging.getLogger(__name__)
FRESH_SECONDS = 1.0
PROBE_MARGIN_SECONDS = 5.0

STANDING = "state, failures, openings, opened_at, retry_at, probe, probe_until"
OPENS = """(state = 'closed' AND failures + 1 >= %(most)s OR state = 'half_open' AND probe = %(mark)s)"""
FAIL = f"""
UPDATE goals_breaker SET failures = failures + 1, error = %(error)s, failed_at = %(now)s,
    state = CASE WHEN {OPENS} THEN 'open' ELSE state END,
    openings = openings + {OPENS}::int,
    opened_at = CASE WHEN {OPENS} THEN %(now)s ELSE opened_at END,
    retry_at = CASE
        WHEN {OPENS} THEN %(now)s + interval '1 second'
            * greatest(least(%(seconds)s * 2.0 ^ least(openings, 30), %(longest)s), %(retry_after)s)
        WHEN state <> 'closed' AND %(retry_after)s > 0 THEN
            greatest(retry_at, %(now)s + interval '1 second' * %(retry_after)s)
        ELSE retry_at END,
    probe = CASE WHEN {OPENS} THEN '' ELSE probe END,
    probe_until = CASE WHEN {OPENS} THEN NULL ELSE probe_until END
WHERE kind = %(kind)s AND name = %(name)s RETURNING {STANDING}
"""  # noqa: S608 - our own text
SUCCEED = """
UPDATE goals_breaker SET state = 'closed', failures = 0, openings = 0, opened_at = NULL, retry_at = NULL,
    probe = '', probe_until = NULL
WHERE kind = %(kind)s AND name = %(name)s
    AND (state = 'closed' AND failures > 0 OR state = 'half_open' AND probe = %(mark)s)
"""
PROBE = """
UPDATE goals_breaker SET state = 'half_open', probe = %(mark)s, probe_until = %(until)s
WHERE kind = %(kind)s AND name = %(name)s AND retry_at <= %(now)s
    AND (probe_until IS NULL OR probe_until <= %(now)s)
"""
GIVE_BACK = """
UPDATE goals_breaker SET state = 'open', probe = '', probe_until = NULL
WHERE kind = %(kind)s AND name = %(name)s AND state = 'half_open' AND probe = %(mark)s
"""


@dataclass(frozen=True, slots=True)
class Pass:
    """Leave to call one far side; `mark` is the probe's, blank where the breaker is closed."""

    kind: str
    name: str
    key: str
    mark: str = ""

    @property
    def columns(self) -> dict[str, Any]:
        return {"kind": self.kind, "name": self.name, "mark": self.mark}


class Troubled:
    """The far sides that have failed lately, as this process last read or was told."""

    def __init__(self) -> None:
        self._known: frozenset[tuple[str, str]] = frozenset()
        self._read_at = float("-inf")

    def holds(self, kind: str, name: str) -> bool:
        """Whether this far side has failed lately; reads all of them where the last look is no longer fresh."""
        if time.monotonic() - self._read_at > FRESH_SECONDS:
            self._read_at = time.monotonic()
            self._known = frozenset(Breaker.objects.troubled().values_list("kind", "name"))
        return (kind, name) in self._known

    def remember(self, kind: str, name: str) -> None:
        self._known |= {(kind, name)}

    def remembers(self, kind: str, name: str) -> bool:
        return (kind, name) in self._known

    def forget(self) -> None:
        self._read_at = float("-inf")


troubled = Troubled()


def rule() -> Rule:
    return Rule(
        settings.GOALSITE_BREAKER_FAILURES,
        float(settings.GOALSITE_BREAKER_SECONDS),
        float(settings.GOALSITE_BREAKER_LONGEST_SECONDS),
    )


def is_open(kind: BreakerKind, name: str) -> bool:
    """Whether a far side is left alone, or tried by somebody else."""
    return troubled.holds(kind, name) and Breaker.objects.open().filter(kind=kind, name=name).exists()


@contextmanager
def permitted(
    kind: BreakerKind, name: str, *, key: str, seconds: float, known: Callable[[], bool] = lambda: False
) -> Iterator[Pass]:
    """Give leave to call a far side, while the call is written down in the block; raises BreakerOpen.

    `seconds` is what the call may take, `key` spreads the sleepers; `known` says that the journal has its answer
    already, so that nothing is called. A probe whose block fails is given back for another to try.
    """
    given = Pass(kind, name, key)
    if troubled.holds(kind, name) and not known():
        given = _ask(given, seconds)
    try:
        yield given
    except BaseException:
        if given.mark:
            rows.execute(GIVE_BACK, given.columns)
        raise


def _ask(given: Pass, seconds: float) -> Pass:
    now = timezone.now()
    row = Breaker.objects.filter(kind=given.kind, name=given.name).first()
    if row is None or breaker.leave(row.standing, now) is Leave.CALL:
        return given
    if breaker.leave(row.standing, now) is Leave.PROBE:
        probe = Pass(given.kind, given.name, given.key, str(uuid.uuid4()))
        until = now + timedelta(seconds=seconds + PROBE_MARGIN_SECONDS)
        if rows.execute(PROBE, {**probe.columns, "now": now, "until": until}).rowcount:
            return probe
        row.refresh_from_db()  # somebody else was faster
    if row.state == BreakerState.CLOSED:
        return given
    raise _open(row, given.key, now)


def _open(row: Breaker, key: str, now: datetime) -> BreakerOpen:
    wake_at = breaker.wake_at(row.standing, now, key)
    state = "is being tried" if row.state == BreakerState.HALF_OPEN else "is left alone"
    times = f"it failed {row.failures} times in a row"
    return BreakerOpen(f"{row.called} {state}, until {wake_at:%H:%M:%S} UTC: {times}, last: {row.error[:300]}", wake_at)


@contextmanager
def told(given: Pass, *, patient: bool = True) -> Iterator[None]:
    """Tell the breaker how the call in the block went; an error that leaves it open says so in `opened`.

    A call that was not `patient` had less than the usual time: that it ran out says nothing of the far side.
    """
    try:
        yield
    except Exception as error:
        with _apart():
            _tell(given, error, patient)
        raise
    with _apart():
        _succeed(given)


@contextmanager
def _apart() -> Iterator[None]:
    """What a call came to does not depend on whether its breaker could be told."""
    try:
        with pooled():
            yield
    except DatabaseError:
        logger.warning("a breaker could not be told", exc_info=True)


def _tell(given: Pass, error: Exception, patient: bool) -> None:
    if speaks_of_far_side(error):
        if patient or not isinstance(error, ModelTimeout | ToolTimeout):
            _fail(given, error)
        elif given.mark:
            rows.execute(GIVE_BACK, given.columns)
    elif isinstance(error, ModelError | ToolError):
        _succeed(given)  # it answered, though not as hoped
    elif given.mark:
        rows.execute(GIVE_BACK, given.columns)


def speaks_of_far_side(error: Exception) -> bool:
    """Whether a failure says that the far side is down or busy, rather than that it would not do what was asked."""
    if isinstance(error, ModelUnavailable | ModelTimeout | OutcomeUnknown | ConnectionError | TimeoutError):
        return True
    return isinstance(error, ToolError) and error.retryable and not isinstance(error, ToolInputError)


def _succeed(given: Pass) -> None:
    if given.mark or troubled.remembers(given.kind, given.name):
        rows.execute(SUCCEED, given.columns)
        troubled.forget()


def _fail(given: Pass, error: Any) -> None:
    """Count a failure, in one statement; the first of a far side makes its row."""
    now, limits = timezone.now(), rule()
    said = clean_text(str(error))[:500] or type(error).__name__
    parameters = {
        **given.columns,
        "now": now,
        "error": said,
        "most": limits.failures,
        "seconds": limits.seconds,
        "longest": limits.longest,
        "retry_after": breaker.asked_pause(getattr(error, "retry_after", None) or 0.0),
    }
    found = rows.execute(FAIL, parameters).fetchone()
    if found is None:
        Breaker.objects.bulk_create([Breaker(kind=given.kind, name=given.name)], ignore_conflicts=True)
        found = rows.execute(FAIL, parameters).fetchone()
    troubled.remember(given.kind, given.name)
    row = Breaker(kind=given.kind, name=given.name, error=said, **dict(zip(STANDING.split(", "), found, strict=True)))
    if row.state != BreakerState.CLOSED:
        error.opened = _open(row, given.key, now)
