"""A webhook of ada's at a real receiver, and a way to send what is due."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone

from goals.models import Delivery, Webhook
from goals.webhooks import acts
from goals.webhooks.senders import Senders
from tests.goals.api.conftest import *  # noqa: F403
from tests.goals.door.conftest import Far, allow, far, names

__all__ = ["allow", "far", "names"]


@pytest.fixture(autouse=True)
def loopback(allow: Any, settings: Any) -> None:
    allow("127.0.0.0/8")
    settings.GOALSITE_WEBHOOK_SECONDS = 5


@pytest.fixture
def hook(ada: Any, far: Far) -> Webhook:
    """Told of the beginning of ada's goals, and of their steering."""
    return acts.make(ada, {"address": f"{far.url}/in", "kinds": ["goal.created", "goal.steered"]})[0]


@pytest.fixture
def send(transactional_db: None) -> Callable[..., None]:
    """Send what is due, until nothing is; as one worker would."""

    def run(seconds: float = 60.0) -> None:
        give_up_at = time.monotonic() + seconds
        with Senders(lambda: False) as senders:
            while senders.look() or Delivery.objects.open().filter(due_at__lte=timezone.now(), webhook__active=True):
                senders._looks_at = 0.0
                assert time.monotonic() < give_up_at
                time.sleep(0.01)

    return run


def later(**time_: float) -> None:
    """Let so much time pass for all that waits."""
    Delivery.objects.open().update(due_at=F("due_at") - timedelta(**time_))
    Webhook.objects.exclude(failing_since=None).update(failing_since=F("failing_since") - timedelta(**time_))
