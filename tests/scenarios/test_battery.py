"""The battery: each goal end to end through a real worker process, the real client and the real database."""

import re
from collections import Counter
from pathlib import Path

import pytest

from artifacts.models import Artifact
from goals.models import Budget, Event, Goal, ModelCall, Question, ToolCall
from goals.states import EffectStatus
from tests.endpoint import said
from tests.goals import rules
from tests.goalsite.processes import eventually
from tests.scenarios import scenario
from tests.scenarios.drawing import draw
from tests.scenarios.scenario import Expected
from tests.scenarios.stage import Stage, told

pytestmark = [pytest.mark.drill, pytest.mark.django_db(transaction=True)]


def test_the_battery_is_large_enough():
    assert len(scenario.names()) >= 25


@pytest.mark.parametrize("name", scenario.names())
def test_a_goal_of_the_battery_goes_as_it_should(stage, name):
    played = scenario.read(name)
    goal = stage.play(played)
    try:
        compare(stage, goal, played.expect)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{told(goal)}\n{draw(goal)}") from error


def compare(stage: Stage, goal: Goal, expect: Expected) -> None:
    assert (goal.status, goal.outcome or "", goal.paused_for or "") == (
        expect.status,
        expect.outcome,
        expect.paused_for,
    )
    assert re.search(expect.reason, goal.reason), goal.reason
    if expect.tree is not None:
        assert draw(goal) == expect.tree.strip()
    kinds = list(Event.objects.filter(goal=goal).order_by("seq").values_list("kind", flat=True))
    rest = iter(kinds)
    assert all(kind in rest for kind in expect.events), f"expected in this order: {expect.events}"
    assert not set(expect.never) & set(kinds)
    compare_calls(goal, expect)
    compare_things(goal, expect)
    for prompt, words in expect.prompts.items():
        asked = [said(request["body"]) for request in stage.endpoint.named(prompt)]
        assert any(words in text for text in asked), f"no {prompt} request says {words!r}"
    eventually(lambda: not rules.violations(), 60, "what was in flight is settled and all rules hold")


def compare_calls(goal: Goal, expect: Expected) -> None:
    calls = Counter(ModelCall.objects.filter(goal=goal).values_list("purpose", flat=True))
    assert {name: calls[name] for name in expect.calls} == expect.calls
    tools = Counter(ToolCall.objects.filter(goal=goal, status=EffectStatus.SUCCEEDED).values_list("tool", flat=True))
    assert {name: tools[name] for name in expect.tools} == expect.tools
    used = {row.resource: float(row.used) for row in Budget.objects.filter(goal_id=goal.budget_goal_id)}
    assert {name: used[name] for name in expect.used} == expect.used


def compare_things(goal: Goal, expect: Expected) -> None:
    asked = Question.objects.filter(goal=goal).order_by("created_at")
    assert [f"{question.kind} {question.status}" for question in asked] == expect.questions
    made = set(Artifact.objects.filter(context=goal.artifact_context_id).values_list("name", flat=True))
    assert set(expect.artifacts) <= made
    for name, words in expect.files.items():
        assert words in (Path(goal.workspace) / name).read_text(encoding="utf-8")
