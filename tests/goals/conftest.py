"""What tests of the goal loop share: a person, a scripted endpoint, a way to run goals to where they come to rest."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command

from goals import policy, services, tool_policy
from goals.models import Goal, ToolRule
from goals.states import GoalStatus
from goals.tasks import Slice
from tests.endpoint import Endpoint
from tests.goals.effects.meanwhile import Meanwhile


@pytest.fixture
def owner(transactional_db: None) -> Any:
    """A person without any permission."""
    return get_user_model().objects.create_user("ada")


@pytest.fixture
def library(transactional_db: None) -> None:
    """The site's own procedures."""
    call_command("load_sops", verbosity=0)


@pytest.fixture
def endpoint(settings: Any) -> Iterator[Endpoint]:
    """A scriptable endpoint that the site's model port talks to; unscripted prompts follow the rehearsal's rules."""
    with Endpoint() as running:
        settings.OPENAI_BASE_URL = running.url
        settings.OPENAI_API_KEY = "test"
        settings.GOALSITE_REHEARSAL = False
        settings.GOALSITE_MODEL_PRICE = (1, 2)
        yield running


@pytest.fixture
def submit(owner: Any) -> Callable[..., Goal]:
    """Submit a goal for the owner."""

    def make(objective: str = "Do the thing", **wishes: Any) -> Goal:
        return services.submit(owner=owner, objective=objective, **wishes)

    return make


@pytest.fixture
def settle() -> Callable[..., Goal]:
    """Drive a goal in this process until it rests: ended, paused, or waiting for a person."""

    def run(goal: Goal, seconds: float = 60.0) -> Goal:
        give_up_at = time.monotonic() + seconds
        while True:
            Slice(lambda: time.monotonic() > give_up_at, only=[goal.pk], linger=0.0).run()
            goal = Goal.objects.get(pk=goal.pk)
            if goal.is_ended or goal.status == GoalStatus.PAUSED or goal.waits_for == "question":
                return goal
            assert time.monotonic() < give_up_at, f"the goal is still {goal.status}: {goal.reason}"

    return run


@pytest.fixture
def meanwhile() -> Meanwhile:
    """Drive a goal on a thread, and act while a call is in flight."""
    return Meanwhile()


@pytest.fixture
def configurer(transactional_db: None) -> Any:
    """Somebody who may set the tool policy, models and prices."""
    return get_user_model().objects.create_superuser("configurer")


@pytest.fixture
def rule(configurer: Any) -> Iterator[Callable[..., ToolRule]]:
    """Set a rule of the tool policy: `rule("deny", tool="write_file", goal=goal)`; forgotten with the test."""

    def make(permission: str, *, tool: str = "", risk: str = "", goal: Any = None) -> ToolRule:
        goal_id = goal.pk if goal else None
        return tool_policy.set_rule(configurer, permission=permission, tool=tool, risk=risk, goal_id=goal_id)

    policy.rules.forget()
    yield make
    policy.rules.forget()
