"""AND and OR, dependencies and depth: what children do to their parent, and siblings to each other."""

import pytest

from goals.decisions import Action, Failure, FailureKind, Spawn
from goals.engine import settle
from goals.tree import Limits
from tests.goals.core.build import AND, NOW, OR, P, S, asked_for, composite, has, node, settled, statuses, tree_of, true

NO = Failure(FailureKind.TOOL, "it broke", retryable=False)
NO_PLAN_LEFT = Limits(replans=0)


def done(name: str, **facts):
    return node(name, status=S.ACHIEVED, **facts)


def gone(name: str, **facts):
    return node(name, status=S.ABANDONED, failure=NO, **facts)


def todo(name: str, *needs: str, **facts):
    return node(name, status=S.PENDING, depends_on=frozenset(needs), **facts)


def test_a_composite_is_atomized_then_planned():
    assert asked_for(tree_of(composite(atomized=""))) == [(Action.ATOMIZE, "root")]
    assert asked_for(tree_of(composite(atomized="plan"))) == [(Action.DECOMPOSE, "root")]


def test_a_composite_judged_atomic_is_executed():
    assert asked_for(tree_of(composite(atomized="execute"))) == [(Action.ACT, "root")]


@pytest.mark.parametrize("atomized", ["", "plan", "execute"])
def test_at_the_deepest_level_a_composite_is_executed(atomized):
    found = tree_of(composite(atomized=atomized, depth=3), limits=Limits(max_depth=3))
    assert asked_for(found) == [(Action.ACT, "root")]


@pytest.mark.parametrize("atomized", ["", "plan"])
def test_a_finished_and_parent_is_never_planned_again(atomized):
    assert asked_for(tree_of(composite(atomized=atomized), done("a"), done("b"))) == [(Action.AGGREGATE, "root")]


def test_a_parent_at_work_is_not_planned_again():
    assert asked_for(tree_of(composite(), done("a"), todo("b"))) == [(Action.ACT, "b")]


def test_independent_children_run_at_once():
    found = tree_of(composite(), todo("a"), todo("b"), todo("d", "a"))
    assert asked_for(found) == [(Action.ACT, "a"), (Action.ACT, "b")]


def test_no_more_run_at_once_than_allowed():
    children = [todo(f"n{i}") for i in range(9)]
    assert len(asked_for(tree_of(composite(), *children))) == 5
    assert len(asked_for(tree_of(composite(), *children, limits=Limits(parallel=2)))) == 2


@pytest.mark.parametrize("status", [S.PENDING, S.ACTIVE, S.WAITING, S.BLOCKED])
def test_a_dependency_that_is_not_achieved_holds_its_dependant(status):
    first = node("a", status=status, asked=True)
    found, _ = settled(tree_of(composite(), first, todo("b", "a"), limits=Limits(replans=0, revisions=0)))
    assert statuses(found)["b"] == "pending"


def test_an_achieved_dependency_lets_its_dependant_start():
    assert asked_for(tree_of(composite(), done("a"), todo("b", "a"))) == [(Action.ACT, "b")]


def test_a_failed_child_fails_its_and_parent_and_its_siblings_are_skipped():
    found, _ = settled(tree_of(composite(), gone("a"), todo("b"), done("d"), limits=NO_PLAN_LEFT))
    assert statuses(found) == {"root": "abandoned", "a": "abandoned", "b": "skipped", "d": "achieved"}
    assert found.node("root").failure.kind == FailureKind.CHILD
    assert "it broke" in found.node("root").failure.message


def test_a_failed_child_brings_another_attempt_with_the_reason():
    broke = Failure(FailureKind.TOOL, "it broke")
    found = tree_of(composite(), node("a", status=S.ABANDONED, failure=broke), limits=NO_PLAN_LEFT)
    _, decisions = settled(found)
    assert decisions == (Spawn("c", 2, "it broke"),)


@pytest.mark.parametrize("kind", [FailureKind.REFUSED, FailureKind.UNACHIEVABLE])
def test_a_child_that_failed_for_good_revises_the_plan_instead_of_trying_again(kind):
    never = node("a", status=S.ABANDONED, failure=Failure(kind, "never"))
    assert asked_for(tree_of(composite(), never, limits=NO_PLAN_LEFT)) == [(Action.REVISE, "goal")]


def test_failure_for_good_is_remembered_through_two_levels():
    inner = composite("inner", depth=1)
    leaf = node("leaf", parent="inner", depth=2, status=S.ABANDONED, failure=Failure(FailureKind.REFUSED, "no"))
    assert asked_for(tree_of(composite(), inner, leaf, limits=NO_PLAN_LEFT)) == [(Action.REVISE, "goal")]


def test_alternatives_open_one_after_the_other():
    found = tree_of(composite(decomposition=OR), todo("a"), todo("b"))
    assert asked_for(found) == [(Action.ACT, "a")]
    assert asked_for(tree_of(composite(decomposition=OR), gone("a"), todo("b"))) == [(Action.ACT, "b")]


@pytest.mark.parametrize("status", [S.ACTIVE, S.WAITING])
def test_an_alternative_still_at_work_keeps_the_next_one_closed(status):
    found = tree_of(composite(decomposition=OR), node("a", status=status, asked=True), todo("b"))
    assert settled(found)[0].node("b").status == S.PENDING


def test_siblings_of_an_or_winner_do_not_run():
    found, decisions = settled(tree_of(composite(decomposition=OR), done("a"), todo("b"), todo("d")))
    assert statuses(found) == {"root": "active", "a": "achieved", "b": "skipped", "d": "skipped"}
    assert [(d.action, d.target) for d in decisions] == [(Action.AGGREGATE, "root")]


def test_a_winner_also_skips_what_is_below_its_siblings():
    inner = composite("inner", depth=1)
    leaf = node("leaf", parent="inner", depth=2)
    found, _ = settled(tree_of(composite(decomposition=OR), inner, leaf, done("a")))
    assert statuses(found)["inner"] == statuses(found)["leaf"] == "skipped"


def test_an_or_parent_fails_only_when_every_alternative_failed():
    assert statuses(settled(tree_of(composite(decomposition=OR), gone("a"), todo("b")))[0])["root"] == "active"
    both = tree_of(composite(decomposition=OR), gone("a"), gone("b"), limits=NO_PLAN_LEFT)
    assert statuses(settled(both)[0])["root"] == "abandoned"


def test_one_abandoned_alternative_does_not_harm_the_winner():
    found = tree_of(composite(decomposition=OR), gone("a"), done("b"))
    assert asked_for(found) == [(Action.AGGREGATE, "root")]


def test_an_alternative_without_its_tool_leaves_the_way_to_the_next():
    found = tree_of(composite(decomposition=OR), node("a", P.USE_TOOL, status=S.BLOCKED), todo("b"))
    assert asked_for(found) == [(Action.ACT, "b")]


def test_alternatives_that_name_each_other_as_dependencies_still_open_in_order():
    assert asked_for(tree_of(composite(decomposition=OR), gone("a"), todo("b", "a"))) == [(Action.ACT, "b")]


def test_children_that_were_all_skipped_do_not_achieve_their_parent():
    skipped = [node(name, status=S.SKIPPED) for name in "ab"]
    for decomposition in (AND, OR):
        found, _ = settled(tree_of(composite(decomposition=decomposition), *skipped))
        assert statuses(found)["root"] == "abandoned"


def test_an_aggregated_parent_still_owes_its_conditions():
    found = tree_of(composite(worked=True, done_when=(true(),)), done("a"))
    assert asked_for(found) == [(Action.CHECK, "root")]
    missing, _ = settled(tree_of(composite(worked=True, done_when=(has("k"),)), done("a")))
    assert statuses(missing)["root"] == "waiting"


def test_a_parent_whose_evidence_is_there_skips_the_rest_of_its_children():
    found, _ = settled(tree_of(composite(done_when=(has("k"),)), node("a"), evidence=("k",)))
    assert statuses(found) == {"root": "achieved", "a": "skipped"}


def test_children_of_a_parent_that_is_not_at_work_do_not_run():
    inner = composite("inner", depth=1, status=S.PENDING, depends_on=frozenset({"first"}))
    leaf = todo("leaf", parent="inner", depth=2)
    assert asked_for(tree_of(composite(), node("first"), inner, leaf)) == [(Action.ACT, "first")]


def test_a_skipped_node_waits_for_nobody_any_more():
    timed = node("b", status=S.WAITING, wake_at=NOW, asked=True)
    found, _ = settled(tree_of(composite(decomposition=OR), done("a"), timed))
    dropped = found.node("b")
    assert (dropped.status, dropped.wake_at, dropped.asked) == (S.SKIPPED, None, False)


def test_a_result_on_a_dropped_branch_changes_nothing():
    found = tree_of(composite(), gone("a"), node("b", status=S.SKIPPED, worked=True))
    again, _, _ = settle(found, NOW)
    assert again.node("b") == found.node("b")
