"""A far side and calls of it that go as told."""

from contextlib import nullcontext
from datetime import timedelta

import pytest
from django.utils import timezone

from goals.effects import breakers
from goals.llm.errors import ModelUnavailable
from goals.models import Breaker

FAR = {"kind": "tool", "name": "far"}


def call(error=None, *, patient=True, name="far"):
    """Make one call of a far side, which goes as told."""
    with (
        pytest.raises(type(error)) if error else nullcontext(),
        breakers.permitted("tool", name, key="k", seconds=5) as given,
        breakers.told(given, patient=patient),
    ):
        if error:
            raise error


def fail(times=1, error=ModelUnavailable):
    for _ in range(times):
        call(error("busy"))


def only():
    return Breaker.objects.get()


def opened(**columns):
    now = timezone.now()
    facts = {"state": "open", "failures": 3, "openings": 1, "opened_at": now, "retry_at": now + timedelta(seconds=60)}
    breakers.troubled.forget()
    return Breaker.objects.create(**{**FAR, **facts, **columns})


def due(**columns):
    now = timezone.now()
    return opened(opened_at=now - timedelta(seconds=9), retry_at=now - timedelta(seconds=1), **columns)
