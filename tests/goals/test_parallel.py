"""Independent subgoals run side by side; each begins when its own dependencies are met, whatever its siblings do."""

import threading
import time

import pytest

from goals import answers, retry
from goals.models import Question, Subgoal
from goals.states import GoalStatus
from tests.goals import rules
from tests.goals.crew import PLAN, STUCK, about, by_task, child, children, result, told
from tests.goals.effects.meanwhile import soon
from tests.goals.test_model_goals import MET, plan, step


@pytest.fixture
def run(endpoint, submit, settle):
    """Run a goal of one composite checkpoint with this plan."""

    def go(plan_of_children, tasks, **wishes):
        endpoint.script.update(
            plan_checkpoints=[plan(step(description="the whole", predicate="composite"))],
            atomize=PLAN,
            judge_outcome=MET,
            aggregate={"reply": {"result": "all together", "outputs": []}},
        )
        if "reply" in plan_of_children:
            endpoint.script["plan_subgoals"] = [plan_of_children]
        else:
            by_task(endpoint, "plan_subgoals", plan_of_children)
        by_task(endpoint, "act", tasks)
        goal = settle(submit(**wishes))
        rules.hold()
        assert goal.status == GoalStatus.COMPLETED, goal.reason
        return goal

    return go


def began(endpoint, task):
    return [request["at"] for request in about(endpoint, "act", task)]


def test_a_node_begins_when_its_own_dependencies_are_met_and_waits_for_no_other(endpoint, run):
    run(
        children("AND", child("slow"), child("quick"), child("follow", depends_on=[1])),
        {
            "slow": result("slow", hold=lambda: began(endpoint, "follow")),
            "quick": result("quick"),
            "follow": result("followed"),
        },
    )


def test_a_retry_that_is_due_does_not_wait_for_what_is_in_flight(endpoint, run, monkeypatch):
    monkeypatch.setattr(retry, "BASE_SECONDS", 0.2)
    run(
        children("AND", child("slow"), child("flaky")),
        {
            "slow": result("slow", hold=lambda: len(began(endpoint, "flaky")) == 2),
            "flaky": [STUCK, result("at last")],
        },
    )


def test_an_answer_is_acted_on_while_other_work_is_in_flight(endpoint, run, owner):
    ask = child("ask", predicate="gather_info", args={"key": "town", "prompt": "Which?"}, operation=None)
    answering = threading.Thread(target=_answer_when_asked, args=(owner,))
    answering.start()
    run(
        children("AND", child("slow"), ask, child("go there", depends_on=[1])),
        {"slow": result("slow", hold=lambda: began(endpoint, "go there")), "go there": result("gone")},
    )
    answering.join()


def _answer_when_asked(owner):
    from django.db import connection

    try:
        assert soon(Question.objects.open().exists)
        answers.answer(owner, Question.objects.open().get().pk, "Gera")
    finally:
        connection.close()


def test_no_more_are_in_flight_than_allowed(endpoint, run, settings):
    settings.GOALSITE_MAX_PARALLEL = 2
    names = [f"task {number}" for number in range(5)]
    run(children("AND", *map(child, names)), {name: result(name, delay=0.5) for name in names})
    starts = sorted(began(endpoint, name)[0] for name in names)
    assert all(third >= first + 0.5 for first, third in zip(starts, starts[2:], strict=False))


def test_what_comes_earlier_in_the_tree_takes_no_place_of_what_is_in_flight(endpoint, run, settings, monkeypatch):
    monkeypatch.setattr(retry, "BASE_SECONDS", 0.2)
    settings.GOALSITE_MAX_PARALLEL = 2

    def the_retry_is_overdue():
        return any(at + 1.0 < time.time() for at in began(endpoint, "slower"))

    tasks = {name: result(name, hold=the_retry_is_overdue) for name in ("slow", "slower")}
    run(
        children("AND", child("flaky"), child("slow"), child("slower")),
        {**tasks, "flaky": [STUCK, result("at last")]},
    )
    (slower,) = began(endpoint, "slower")
    first, second = began(endpoint, "flaky")
    assert first < slower, "it was begun first"
    assert second >= slower + 1.0, "two were in flight, so the retry that was due waited for one to end"


def test_a_branch_that_fails_leaves_an_independent_one_to_its_end(endpoint, run, monkeypatch):
    monkeypatch.setattr(retry, "BASE_SECONDS", 0.01)
    tasks = {"fragile": STUCK, "sturdy": result("stood", delay=1.0), "instead": result("mended")}
    first = children("AND", child("fragile"), child("sturdy"))
    goal = run({"the whole": [first, children("AND", child("instead"))]}, tasks)
    fates = Subgoal.objects.filter(goal=goal, depth=1).order_by("position").values_list("gloss", "status")
    assert list(fates) == [("fragile", "abandoned"), ("sturdy", "achieved"), ("instead", "achieved")]
    assert len(began(endpoint, "sturdy")) == 1


def test_what_depends_on_a_composite_sibling_gets_its_joined_result(endpoint, run, tmp_path):
    collect = child("collect", predicate="composite", evidence_key="collection", operation=None)
    write = {"tool": "write_file", "input": {"path": "collection.txt", "content": "@collection"}}
    keep = child("keep", predicate="use_tool", args=write, depends_on=[0], evidence_key="kept", operation=None)
    within = child("judge", predicate="composite", depends_on=[0], operation=None)
    run(
        {
            "the whole": children("AND", collect, child("conclude", depends_on=[0]), keep, within),
            "collect": children("AND", child("left half"), child("right half")),
            "judge": children("AND", child("weigh")),
        },
        {"left half": result("L"), "right half": result("R")},
        workspace=str(tmp_path),
    )
    for task in ("conclude", "weigh"):
        found = told(about(endpoint, "act", task)[0]).data("results", [])
        assert found == [{"gloss": "collect", "result": "all together", "artifacts": ["@collection"]}]
    assert told(about(endpoint, "plan_subgoals", "judge")[0]).data("results", []) == found
    assert (tmp_path / "collection.txt").read_text() == "all together"
