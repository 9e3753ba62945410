"""A result that is longer than a prompt takes: its beginning is told, and where all of it is."""

import pytest

from artifacts.services import latest
from goals import results
from goals.models import Checkpoint, Subgoal
from goals.states import GoalStatus
from tests.goals.crew import PLAN, about, by_task, child, children, result, told
from tests.goals.test_model_goals import MET, UNMET, plan, step

LONG = "The first word. " + "many words " * 600 + "The last word."
CUT = f"… cut: {len(LONG)} characters in all; all of it is kept as "


@pytest.fixture
def two(endpoint, submit, settle):
    """A goal of two subtasks, of which the second builds on the first."""

    def run(first, told_first, second=None):
        whole = step("Both", predicate="composite", evidence_key="whole")
        endpoint.script.update(plan_checkpoints=[plan(whole)], atomize=PLAN, judge_outcome=MET)
        endpoint.script.update(plan_subgoals=children("AND", first, child("Second", depends_on=[0])))
        by_task(endpoint, "act", {first["gloss"]: told_first, "Second": second or result("short")})
        goal = settle(submit())
        assert goal.status == GoalStatus.COMPLETED, goal.reason
        return goal

    return run


def kept_as(goal, text):
    """Read what is kept under the reference at the end of a text."""
    name, version = text.rsplit("@", 1)[1].split(":")
    artifact = latest(goal.artifact_context_id)[name]
    assert artifact.version == int(version)
    return artifact.value


@pytest.mark.parametrize("key", [None, "found"])
def test_whoever_builds_on_it_is_told_its_beginning_and_where_all_of_it_is(key, two, endpoint):
    goal = two(child("First", evidence_key=key), result(LONG))
    (known,) = told(about(endpoint, "act", "Second")[0]).data("results", [])
    assert known["result"].startswith("The first word.")
    assert len(known["result"]) <= results.LONGEST
    assert CUT in known["result"]
    assert kept_as(goal, known["result"]) == LONG
    if key:
        assert known["result"].endswith(f"@{key}:1"), "kept once"


def test_a_result_beside_an_output_of_its_key_is_kept_too(two, endpoint):
    output = {"name": "found", "type": "data", "description": "the figures", "purpose": "", "value": [1]}
    reply = {"reply": {"status": "done", "result": LONG, "outputs": [output]}}
    goal = two(child("First", evidence_key="found"), reply)
    (known,) = told(about(endpoint, "act", "Second")[0]).data("results", [])
    assert kept_as(goal, known["result"]) == LONG
    assert latest(goal.artifact_context_id)["found"].value == [1]


def test_texts_become_one_from_more_than_their_beginnings(two, endpoint):
    two(child("First"), result(LONG))
    (joined,) = endpoint.named("aggregate")
    assert [entry["result"] for entry in told(joined).data("results", [])] == [LONG, "short"]


def test_what_is_made_of_one_text_alone_has_all_of_it(endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=[plan(step("One", predicate="composite"))], atomize=PLAN)
    endpoint.script.update(plan_subgoals=children("AND", child("First")), judge_outcome=MET)
    by_task(endpoint, "act", {"First": result(LONG)})
    goal = settle(submit())
    assert Subgoal.objects.get(goal=goal, parent=None).result["text"] == LONG
    assert CUT in Checkpoint.objects.get(goal=goal).result_summary
    assert CUT in told(endpoint.named("judge_outcome")[0]).text("result")


def test_the_next_try_is_told_where_all_of_a_long_failure_is(endpoint, submit, settle):
    stuck = {"reply": {"status": "stuck", "result": LONG, "outputs": []}}
    endpoint.script.update(plan_checkpoints=[plan(step())], act=[stuck, result("done")], judge_outcome=MET)
    goal = settle(submit())
    why = told(endpoint.named("act")[1]).text("previous_failure")
    assert CUT in why
    assert kept_as(goal, why) == LONG


def test_the_next_attempt_is_told_where_all_of_a_long_result_is(endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=[plan(step())], act=result(LONG), judge_outcome=[UNMET, MET, MET])
    goal = settle(submit())
    (done,) = told(endpoint.named("act")[1]).data("earlier", {})["achieved"]
    assert len(done["result"]) <= 2_000
    assert kept_as(goal, done["result"]) == LONG


def test_a_text_that_fits_is_told_as_it_is():
    assert results.told({"text": "x" * results.LONGEST}) == "x" * results.LONGEST
    assert results.told({"text": ""}) == results.told(None) == ""
    assert results.told({"rows": 2}) == "{'rows': 2}"
    assert results.told({"text": "x" * 5000, "evidence": "list"}).endswith("all of it is kept as @list")
    assert results.cut("x" * 90, 60).endswith("x\n… cut: 90 characters in all")
