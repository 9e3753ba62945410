"""Each bad plan is refused for its reason and for no other."""

import pytest

from goals.plan_rules import MAX_ERRORS, Known, checkpoint_errors, subgoal_errors
from tests.goals.plan_rules.refused import CHECKPOINTS, SUBGOALS
from tests.goals.plan_rules.tools import KNOWN, OBJECTIVE, TOOLS, child, step, tool

TASK = "Survey the beds"


def matched(errors, wanted):
    """Errors and reasons meet one to one: each error stands at its field and says its reason."""
    assert len(errors) == len(wanted), errors
    for error, (field, part) in zip(errors, wanted, strict=True):
        assert error.startswith(f"{field}: "), errors
        assert part in error, errors


def test_there_are_many_of_them():
    assert len(CHECKPOINTS) + len(SUBGOALS) >= 60
    assert len({name for name, *_ in [*CHECKPOINTS]}) == len(CHECKPOINTS)


@pytest.mark.parametrize(("plan", "wanted"), [case[1:] for case in CHECKPOINTS], ids=[case[0] for case in CHECKPOINTS])
def test_a_bad_plan_of_checkpoints_is_refused_for_its_reason(plan, wanted):
    matched(checkpoint_errors(plan, KNOWN, OBJECTIVE), wanted)


@pytest.mark.parametrize(("plan", "how", "wanted"), [case[1:] for case in SUBGOALS], ids=[case[0] for case in SUBGOALS])
def test_a_bad_plan_of_subgoals_is_refused_for_its_reason(plan, how, wanted):
    matched(subgoal_errors(plan, how, KNOWN, TASK), wanted)


def test_children_must_make_what_their_task_waits_for():
    matched(subgoal_errors([child()], "AND", KNOWN, TASK, {"map"}), [("subgoals", "no subgoal makes 'map'")])
    assert subgoal_errors([child(evidence_key="map")], "AND", KNOWN, TASK, {"map"}) == []
    assert subgoal_errors([child("Count", "composite")], "AND", KNOWN, TASK, {"map"}) == []


def test_a_step_without_any_fault_is_refused_for_nothing():
    assert (
        checkpoint_errors([step(), tool(), tool("read_file", "text", "Read", path="@folder")], KNOWN, OBJECTIVE) == []
    )
    assert subgoal_errors([child(), child("Name them", depends_on=[0])], "AND", KNOWN, TASK) == []


def test_a_required_argument_may_come_from_evidence():
    known = Known(TOOLS, frozenset({"path"}))
    assert checkpoint_errors([tool("read_file")], known, OBJECTIVE) == []
    ask = step("Ask", "gather_info", args={"key": "path", "prompt": "Which file?"})
    assert checkpoint_errors([ask, tool("read_file")], KNOWN, OBJECTIVE) == []


def test_of_a_reviewed_procedure_a_missing_argument_is_asked_for_and_a_verifier_may_run_here():
    reviewed = Known(TOOLS, reviewed=True)
    steps = [tool("read_file"), step(verifier={"type": "command", "command": "true"})]
    assert checkpoint_errors(steps, reviewed, OBJECTIVE) == []


def test_very_many_errors_are_counted_and_not_all_listed():
    plan = [child(f"Bed {n}", tools=[f"spade{m}" for m in range(50)]) for n in range(50)]
    errors = subgoal_errors(plan, "AND", Known(TOOLS, most=50), TASK)
    assert len(errors) == MAX_ERRORS + 1
    assert errors[-1] == "and 2400 errors more"


def test_a_good_small_plan_may_say_its_goal_again_where_it_can_be_looked_at():
    one = step("List the beds", description="List the beds", success_criteria="beds.md lists the 12 beds")
    assert checkpoint_errors([one], KNOWN, "List the beds") == []
    whole = step("List the beds", "composite", description="List the beds", success_criteria="The beds are listed")
    assert checkpoint_errors([{**whole, "evidence_key": "beds"}], KNOWN, "List the beds") == []
    assert len(checkpoint_errors([whole], KNOWN, "List the beds")) == 1


def test_a_bad_node_hides_no_fault_of_another():
    errors = checkpoint_errors([step(args=[1]), step("B", tools=["spade"])], KNOWN, OBJECTIVE)
    matched(errors, [("checkpoints[0].args", "dictionary"), ("checkpoints[1].tools[0]", "spade")])
