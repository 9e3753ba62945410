"""Breakers that open soon, and for a moment."""

import pytest

from goals.effects import breakers


@pytest.fixture(autouse=True)
def quick(settings, transactional_db):
    """Three failures open a breaker, for a moment."""
    settings.GOALSITE_BREAKER_FAILURES = 3
    settings.GOALSITE_BREAKER_SECONDS = 0.4
    settings.GOALSITE_BREAKER_LONGEST_SECONDS = 2
    breakers.troubled.forget()
