"""What a command needs to run goals itself, whether the site is up or down: schema, procedures, model, an operator."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractUser

from goalsite import plan, ports, readiness
from goalsite.children import Child, answers
from goalsite.login_once import operator

MODEL_PATIENCE = 20.0


@contextmanager
def site_at_hand() -> Iterator[AbstractUser]:
    """Bring the database up to date and keep a model answering; yields the person for whom commands act.

    A running site's rehearsal model is shared; without one, one is run for as long as the block lasts.
    """
    readiness.prepare()
    own = _own_model()
    try:
        yield operator()
    finally:
        if own is not None:
            own.kill_group()


def _own_model() -> Child | None:
    """Start a rehearsal model unless a real endpoint is configured or one answers already."""
    if not settings.GOALSITE_REHEARSAL or answers("127.0.0.1", settings.GOALSITE_REHEARSAL_PORT):
        return None
    port = ports.next_free("127.0.0.1", settings.GOALSITE_REHEARSAL_PORT)
    settings.GOALSITE_REHEARSAL_PORT = port
    fields: dict[str, Any] = plan.rehearsal_model(port)
    child = Child(**fields)
    child.start()
    give_up_at = time.monotonic() + MODEL_PATIENCE
    while not child.is_ready():
        if time.monotonic() > give_up_at:
            child.kill_group()
            raise TimeoutError(f"the rehearsal model did not answer on port {port} within {MODEL_PATIENCE:.0f} s")
        time.sleep(0.05)
    return child
