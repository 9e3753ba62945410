"""A failure is mended by a new plan of the smallest subtree, then upward; what is done already stays."""

import pytest

from goals.decisions import Action, Failure, FailureKind
from goals.engine import settle
from goals.tree import Limits
from tests.goals.core.build import NOW, OR, P, S, asked_for, composite, has, node, settled, statuses, tree_of, true
from tests.goals.core.test_parents import done, gone, todo

MISSING = Failure(FailureKind.MISSING_TOOL, "there is no tool fly")


def blocked(name: str, **facts):
    return node(name, P.USE_TOOL, status=S.BLOCKED, failure=MISSING, **facts)


def test_a_failed_child_of_an_and_parent_leads_to_a_new_plan_and_what_is_achieved_stays():
    found, decisions = settled(tree_of(composite(), gone("a"), todo("b"), done("d")))
    assert statuses(found) == {"root": "active", "a": "abandoned", "b": "skipped", "d": "achieved"}
    assert found.node("root").replans == 1
    assert [(d.action, d.target) for d in decisions] == [(Action.DECOMPOSE, "root")]


def test_the_planner_is_told_what_failed():
    _, moves, _ = settle(tree_of(composite(), gone("a"), todo("b")), NOW)
    assert moves[-1].facts["previous_failure"] == "it broke"
    assert moves[0].payload == {"reason": "its parent is planned anew"}


def test_alternatives_are_planned_anew_when_the_last_has_failed():
    assert asked_for(tree_of(composite(decomposition=OR), gone("a"), gone("b"))) == [(Action.DECOMPOSE, "root")]
    assert asked_for(tree_of(composite(decomposition=OR), gone("a"), todo("b"))) == [(Action.ACT, "b")]


def test_the_children_of_an_earlier_plan_have_no_say_in_the_present_one():
    past = [gone("a"), done("d")]
    found = tree_of(composite(replans=1), *past, done("e", plan=2))
    assert asked_for(found) == [(Action.AGGREGATE, "root")]
    alternatives = tree_of(composite(replans=1, decomposition=OR), *past, todo("e", plan=2))
    assert asked_for(alternatives) == [(Action.ACT, "e")], "a winner of an earlier plan wins nothing in this one"


def test_new_plans_are_bounded_and_then_the_parent_is_abandoned():
    found = tree_of(composite(replans=1), gone("a"), gone("e", plan=2), limits=Limits(replans=1))
    assert statuses(settled(found)[0])["root"] == "abandoned"
    assert asked_for(tree_of(composite(replans=1), gone("e", plan=2), limits=Limits(replans=2))) == [
        (Action.DECOMPOSE, "root")
    ]


def test_the_smallest_subtree_is_planned_anew_first_and_then_the_one_above():
    inner = composite("inner", depth=1)
    leaf = gone("leaf", parent="inner", depth=2)
    assert asked_for(tree_of(composite(), inner, leaf)) == [(Action.DECOMPOSE, "inner")]
    spent = composite("inner", depth=1, replans=1)
    again = gone("again", parent="inner", depth=2, plan=2)
    found, decisions = settled(tree_of(composite(), spent, leaf, again))
    assert statuses(found)["inner"] == "abandoned"
    assert [(d.action, d.target) for d in decisions] == [(Action.DECOMPOSE, "root")]


@pytest.mark.parametrize("kind", [FailureKind.REFUSED, FailureKind.INPUT, FailureKind.NOT_DONE, FailureKind.CHILD])
def test_a_refusal_or_a_spent_retry_leads_to_a_new_plan(kind):
    never = node("a", status=S.ABANDONED, failure=Failure(kind, "no", retryable=False))
    assert asked_for(tree_of(composite(), never)) == [(Action.DECOMPOSE, "root")]


def test_what_is_declared_unachievable_is_not_planned_anew_but_its_parents_parent_may_go_another_way():
    declared = Failure(FailureKind.UNACHIEVABLE, "nobody can")
    leaf = node("leaf", parent="inner", depth=2, status=S.ABANDONED, failure=declared)
    found, decisions = settled(tree_of(composite(), composite("inner", depth=1), leaf))
    assert statuses(found)["inner"] == "abandoned"
    assert [(d.action, d.target) for d in decisions] == [(Action.DECOMPOSE, "root")]


def test_one_alternative_declared_unachievable_does_not_speak_for_the_others():
    declared = node("a", status=S.ABANDONED, failure=Failure(FailureKind.UNACHIEVABLE, "nobody can"))
    assert asked_for(tree_of(composite(decomposition=OR), declared, gone("b"))) == [(Action.DECOMPOSE, "root")]


def test_siblings_at_work_end_before_the_new_plan_and_nothing_new_is_begun():
    found, decisions = settled(tree_of(composite(), gone("a"), node("b"), todo("d")))
    assert statuses(found) == {"root": "active", "a": "abandoned", "b": "active", "d": "pending"}
    assert [(d.action, d.target) for d in decisions] == [(Action.ACT, "b")]
    ended = tree_of(composite(), gone("a"), node("b", worked=True), todo("d"))
    found, decisions = settled(ended)
    assert statuses(found) == {"root": "active", "a": "abandoned", "b": "achieved", "d": "skipped"}
    assert [d.action for d in decisions] == [Action.DECOMPOSE]


def test_a_composite_sibling_ends_with_its_aggregate_before_the_new_plan():
    inner = composite("inner", depth=1)
    part = done("part", parent="inner", depth=2)
    assert asked_for(tree_of(composite(), gone("a"), inner, part)) == [(Action.AGGREGATE, "inner")]


@pytest.mark.parametrize("facts", [{"asked": True}, {"wake_at": NOW.replace(year=2027)}])
def test_a_sibling_that_only_waits_does_not_hold_up_the_new_plan(facts):
    waits = node("b", status=S.WAITING, **facts)
    found, decisions = settled(tree_of(composite(), gone("a"), waits))
    assert statuses(found)["b"] == "skipped"
    assert [d.action for d in decisions] == [Action.DECOMPOSE]


def test_a_missing_tool_leads_to_a_new_plan_of_its_parent():
    found, decisions = settled(tree_of(composite(), blocked("a"), done("b")))
    assert statuses(found)["a"] == "skipped"
    assert [d.action for d in decisions] == [Action.DECOMPOSE]


def test_a_missing_tool_with_no_plan_left_fails_the_checkpoint_into_a_revision():
    found, decisions = settled(tree_of(composite(replans=1), blocked("a", plan=2)))
    assert found.checkpoints[0].status == "failed"
    assert found.goal.revise_reason == MISSING.message
    assert [d.action for d in decisions] == [Action.REVISE]


def test_a_missing_tool_pauses_the_goal_when_nobody_can_plan_without_it_and_the_rest_goes_on():
    limits = Limits(replans=0, revisions=0)
    inner = composite("inner", depth=1)
    found = tree_of(composite(), inner, blocked("a", parent="inner", depth=2), todo("b"), limits=limits)
    assert asked_for(found) == [(Action.ACT, "b")]
    stuck, _ = settled(tree_of(composite(), inner, blocked("a", parent="inner", depth=2), done("b"), limits=limits))
    assert (stuck.goal.status, stuck.goal.reason) == ("paused", MISSING.message)
    assert statuses(stuck)["a"] == "blocked", "who brings the tool finds it waiting"


def test_alternatives_of_which_the_last_lacks_its_tool_are_planned_anew():
    found = tree_of(composite(decomposition=OR), gone("a"), blocked("b"))
    assert asked_for(found) == [(Action.DECOMPOSE, "root")]


def test_a_plan_carried_out_that_does_not_meet_its_parents_conditions_is_made_anew_when_its_retries_are_spent():
    unmet = Failure(FailureKind.CONDITION, "the figures do not add up")
    first = tree_of(composite(failure=unmet, worked=True, done_when=(true(),)), done("a"))
    assert statuses(settled(first)[0])["root"] == "waiting"
    spent = tree_of(composite(failure=unmet, worked=True, attempts=3, done_when=(true(),)), done("a"))
    found, decisions = settled(spent)
    assert (found.node("root").failure, found.node("root").worked, found.node("root").replans) == (None, False, 1)
    assert [d.action for d in decisions] == [Action.DECOMPOSE]
    over = tree_of(composite(failure=unmet, attempts=3, replans=1, done_when=(true(),)), done("a", plan=2))
    assert statuses(settled(over)[0])["root"] == "abandoned"


def test_a_failed_call_of_the_planner_itself_is_no_reason_for_another_plan():
    down = Failure(FailureKind.MODEL, "the endpoint is down", retryable=False)
    assert statuses(settled(tree_of(composite(failure=down, replans=0)))[0])["root"] == "abandoned"


def test_the_next_alternative_is_told_why_the_one_before_failed():
    _, moves, _ = settle(tree_of(composite(decomposition=OR), gone("a"), todo("b")), NOW)
    assert moves[0].facts == {"previous_failure": "it broke"}
    assert "it broke" in moves[0].payload["reason"]


def test_evidence_that_comes_while_a_plan_fails_ends_its_parent():
    found, _ = settled(tree_of(composite(done_when=(has("k"),)), gone("a"), node("b"), evidence=("k",)))
    assert statuses(found)["root"] == "achieved"


def test_a_sibling_not_yet_begun_goes_on_beside_a_tool_that_only_a_person_can_bring():
    found = tree_of(composite(), blocked("a"), todo("b"), limits=Limits(replans=0, revisions=0))
    assert asked_for(found) == [(Action.ACT, "b")]
