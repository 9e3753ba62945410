"""A registry that tests may add tools to, and goals that need no model."""

from collections.abc import Callable
from typing import Any

import pytest

from goals.models import Goal
from goals.states import EffectClass
from goals.tools import registry
from tests.goals.effects import work


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Callable[..., work.ScriptedTool]:
    """Register a tool for the length of a test."""

    def make(name: str, effect_class: EffectClass, does: Any = lambda *_: 1, knows: Any = None) -> work.ScriptedTool:
        made = work.ScriptedTool(name, effect_class, does, knows)
        monkeypatch.setitem(registry._tools(), name, made)
        return made

    return make


@pytest.fixture
def planned(submit: Callable[..., Goal]) -> Callable[..., Goal]:
    """Submit a goal whose plan is a tool a step, proved by the artifact of its last step."""

    def make(*tools: str, **wishes: Any) -> Goal:
        wishes.setdefault("verifier", work.last_is(f"step{len(tools) - 1}"))
        return work.plan(submit("Use the tools", **wishes), *tools)

    return make


@pytest.fixture
def working(planned: Callable[..., Goal]) -> Callable[..., tuple[Goal, int]]:
    """A goal at work under a lease: its row and the epoch."""

    def make(**wishes: Any) -> tuple[Goal, int]:
        goal = planned("train_search", **wishes)
        taken = work.take(goal)
        return Goal.objects.get(pk=goal.pk), taken.epoch

    return make
