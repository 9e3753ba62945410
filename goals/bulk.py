"""Submitting many goals at once: all of them, or none with everything that is wrong told by place and field."""

import shutil
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from goals import services
from goals.chat import conversations
from goals.exceptions import GoalError, InvalidInput, NotAllowed, NotFound
from goals.models import Goal

MOST = 100


def submit_all(owner: Any, wishes: Sequence[Mapping[str, Any]]) -> list[Goal]:
    """Return the goals in the order of the wishes; raises InvalidInput, its fields as `goals.3.limits.cost_usd`."""
    made: list[Goal] = []
    try:
        with transaction.atomic():
            errors = _submit_each(owner, wishes, made)
            if errors:
                raise InvalidInput(errors)
    except BaseException:
        for goal in made:
            shutil.rmtree(goal.workspace, ignore_errors=True)
        raise
    return made


def _submit_each(owner: Any, wishes: Sequence[Mapping[str, Any]], made: list[Goal]) -> dict[str, str]:
    """Submit what can be, and return what cannot; after the first refusal the rest is only looked at to tell it all."""
    errors: dict[str, str] = {}
    for place, wish in enumerate(wishes):
        try:
            with transaction.atomic():
                made.append(_submit(owner, dict(wish)))
        except (InvalidInput, NotAllowed, NotFound) as error:
            errors.update({f"goals.{place}.{name}": text for name, text in _told(error).items()})
    return errors


def _submit(owner: Any, wish: dict[str, Any]) -> Goal:
    if "conversation" in wish:
        wish["conversation"] = conversations.find(owner, wish["conversation"])
    return services.submit(owner=owner, **wish)


def _told(error: GoalError) -> dict[str, str]:
    if isinstance(error, InvalidInput):
        return error.errors
    return {"conversation" if isinstance(error, NotFound) else "verifier": str(error)}
