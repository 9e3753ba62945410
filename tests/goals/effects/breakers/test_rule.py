"""The rule of breakers in SQL: the database counts as the pure rule says."""

from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from goals import breaker
from goals.breaker import Rule, Standing
from goals.effects import breakers
from goals.llm.errors import ModelUnavailable
from goals.models import Breaker
from goals.states import BreakerState
from tests.goals.effects.breakers.far import FAR


def test_the_database_counts_as_the_pure_rule_says(settings):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    settings.GOALSITE_BREAKER_SECONDS, settings.GOALSITE_BREAKER_LONGEST_SECONDS = 10, 60
    states = [
        Standing(),
        Standing(failures=2),
        *(Standing(BreakerState.OPEN, 3, n, now - timedelta(seconds=5), now + timedelta(seconds=5)) for n in (1, 4)),
        breaker.probing(Standing(BreakerState.OPEN, 3, 1, now, now), "p", now + timedelta(seconds=9)),
    ]
    columns = Standing.__dataclass_fields__
    row = Breaker.objects.create(**FAR)
    for before, retry_after, mark in product(states, [0, 7, 100, 1e5], ["", "p", "q"]):
        given = breakers.Pass(**FAR, key="k", mark=mark)
        Breaker.objects.update(**{name: getattr(before, name) for name in columns})
        error = ModelUnavailable("busy", retry_after=retry_after)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(breakers.timezone, "now", lambda: now)
            breakers._fail(given, error)
        row.refresh_from_db()
        assert row.standing == breaker.after_failure(before, Rule(3, 10, 60), now, retry_after, mark)
        assert (error.opened is None) == (row.state == BreakerState.CLOSED)
        Breaker.objects.update(**{name: getattr(before, name) for name in columns})
        breakers.troubled.remember("tool", "far")
        breakers._succeed(given)
        row.refresh_from_db()
        assert row.standing == breaker.after_success(before, mark)
