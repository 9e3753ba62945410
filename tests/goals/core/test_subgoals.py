"""The rules of one node: when it works, when that is enough, what its failure does."""

from datetime import timedelta

import pytest

from goals.decisions import Action, Failure, FailureKind, Spawn
from goals.engine import settle
from goals.states import GoalStatus, PauseReason, WaitsFor
from goals.tree import Limits
from tests.goals.core.build import (
    LATER,
    NOW,
    G,
    P,
    S,
    after,
    asked_for,
    composite,
    has,
    node,
    settled,
    statuses,
    tree_of,
    true,
)

BROKE = Failure(FailureKind.TOOL, "it broke")
WORK = [
    (P.USE_TOOL, Action.USE_TOOL),
    (P.GATHER_INFO, Action.ASK),
    (P.CONFIRM, Action.ASK),
    (P.PRESENT_INFO, Action.PRESENT),
    (P.EXECUTE, Action.ACT),
    (P.COMPOSITE, Action.ATOMIZE),
]


@pytest.mark.parametrize(("predicate", "action"), WORK)
def test_each_predicate_asks_for_its_own_work(predicate, action):
    assert asked_for(tree_of(node("root", predicate, status=S.PENDING))) == [(action, "root")]


@pytest.mark.parametrize("predicate", [p for p, _ in WORK])
def test_evidence_that_is_there_already_saves_the_work(predicate):
    found, decisions = settled(tree_of(node("root", predicate, done_when=(has("k"),)), evidence=("k",)))
    assert statuses(found) == {"root": "achieved"}
    assert [d.action for d in decisions] == [Action.VERIFY_CHECKPOINT]


def test_work_saved_says_so_in_its_event():
    _, moves, _ = settle(tree_of(node("root", done_when=(has("k"),)), evidence=("k",)), NOW)
    assert moves[0].event == "subgoal.achieved"
    assert moves[0].payload == {"done_before": True}


def test_half_of_the_evidence_saves_nothing():
    assert asked_for(tree_of(node("root", done_when=(has("a"), has("b"))), evidence=("a",))) == [(Action.ACT, "root")]


def test_a_judged_condition_is_never_taken_for_done_before_the_work():
    found = tree_of(node("root", done_when=(has("a"), true("fine"))), evidence=("a",))
    assert asked_for(found) == [(Action.ACT, "root")]


def test_a_time_that_has_passed_is_no_reason_to_skip_the_work():
    assert asked_for(tree_of(node("root", done_when=(after(NOW),)))) == [(Action.ACT, "root")]


def test_a_node_with_no_condition_is_not_done_before_it_has_worked():
    assert asked_for(tree_of(node("root"))) == [(Action.ACT, "root")]


@pytest.mark.parametrize("predicate", [P.CONFIRM, P.PRESENT_INFO, P.EXECUTE, P.GATHER_INFO, P.USE_TOOL])
def test_every_leaf_ends_when_its_work_has_a_result(predicate):
    found, _ = settled(tree_of(node("root", predicate, worked=True)))
    assert statuses(found) == {"root": "achieved"}


def test_use_tool_completes_by_the_key_its_step_declared():
    step = node("root", P.USE_TOOL, done_when=(has("trains"),), worked=True)
    found, _ = settled(tree_of(step, evidence=("trains",)))
    assert statuses(found) == {"root": "achieved"}


def test_use_tool_is_not_completed_by_another_key():
    step = node("root", P.USE_TOOL, done_when=(has("trains"),), worked=True)
    found, _ = settled(tree_of(step, evidence=("search_results",)))
    assert statuses(found) == {"root": "waiting"}
    assert found.node("root").attempts == 2
    assert not found.node("root").worked


def test_a_judged_condition_is_checked_after_the_work():
    assert asked_for(tree_of(node("root", done_when=(true(),), worked=True))) == [(Action.CHECK, "root")]


def test_a_checked_condition_achieves():
    found, _ = settled(tree_of(node("root", done_when=(true(),), worked=True, checked=True)))
    assert statuses(found) == {"root": "achieved"}


def test_machine_conditions_come_before_the_judge_is_paid():
    found = tree_of(node("root", done_when=(true(), has("k")), worked=True))
    assert asked_for(found) == []


def test_an_after_condition_waits_for_its_time_and_then_ends():
    found, decisions = settled(tree_of(node("root", done_when=(after(LATER),), worked=True)))
    assert (found.goal.status, found.goal.waits_for, found.goal.wake_at) == (G.WAITING, WaitsFor.TIMER, LATER)
    assert decisions == ()
    woken, _ = settled(found, LATER)
    assert statuses(woken) == {"root": "achieved"}


def test_a_failure_is_a_wait_with_a_time_and_then_another_try():
    found, decisions = settled(tree_of(node("root", failure=BROKE)))
    assert decisions == ()
    waiting = found.node("root")
    assert (waiting.status, waiting.attempts, waiting.failure) == (S.WAITING, 2, None)
    assert found.goal.wake_at == waiting.wake_at
    assert NOW < waiting.wake_at <= NOW + timedelta(seconds=1)
    assert asked_for(found, waiting.wake_at) == [(Action.ACT, "root")]


def test_another_try_begins_with_nothing_of_the_one_before():
    found, _ = settled(tree_of(node("root", failure=BROKE, worked=True, checked=True)))
    again = found.node("root")
    assert (again.worked, again.checked, again.failure) == (False, None, None)


def test_a_wait_is_not_ended_before_its_time():
    found, _ = settled(tree_of(node("root", failure=BROKE)))
    early = found.goal.wake_at - timedelta(milliseconds=1)
    assert settled(found, early) == (found, ())


@pytest.mark.parametrize(
    ("retries", "attempt", "status"), [(2, 2, "waiting"), (2, 3, "abandoned"), (0, 1, "abandoned")]
)
def test_retries_are_bounded(retries, attempt, status):
    found, _ = settled(tree_of(node("root", failure=BROKE, attempts=attempt), limits=Limits(retries=retries)))
    assert statuses(found)["root"] == status


@pytest.mark.parametrize("kind", [FailureKind.REFUSED, FailureKind.UNACHIEVABLE, FailureKind.CHILD, FailureKind.INPUT])
def test_a_final_failure_is_not_tried_again(kind):
    found, _ = settled(tree_of(node("root", failure=Failure(kind, "no"))))
    assert statuses(found) == {"root": "abandoned"}


def test_a_failure_that_says_so_is_not_tried_again():
    found, _ = settled(tree_of(node("root", failure=Failure(FailureKind.TOOL, "no", retryable=False))))
    assert statuses(found) == {"root": "abandoned"}


def test_a_missing_tool_blocks_and_the_goal_says_which():
    missing = Failure(FailureKind.MISSING_TOOL, "there is no tool fly")
    found, decisions = settled(tree_of(node("root", P.USE_TOOL, failure=missing), limits=Limits(revisions=0)))
    assert statuses(found) == {"root": "blocked"}
    assert (found.goal.status, found.goal.paused_for) == (GoalStatus.PAUSED, PauseReason.ERROR)
    assert found.goal.reason == "there is no tool fly"
    assert decisions == ()


def test_a_missing_tool_revises_the_plan_as_long_as_a_revision_is_left():
    missing = Failure(FailureKind.MISSING_TOOL, "there is no tool fly")
    found, decisions = settled(tree_of(node("root", P.USE_TOOL, failure=missing)))
    assert statuses(found) == {"root": "skipped"}
    assert (found.checkpoints[0].status, found.goal.revise_reason) == ("failed", "there is no tool fly")
    assert [d.action for d in decisions] == [Action.REVISE]


def test_a_blocked_node_does_not_stop_its_siblings():
    found = tree_of(composite(), node("a", P.USE_TOOL, status=S.BLOCKED), node("b"))
    assert asked_for(found) == [(Action.ACT, "b")]


def test_a_question_makes_the_goal_wait_for_a_person():
    found, decisions = settled(tree_of(node("root", P.GATHER_INFO, status=S.WAITING, asked=True)))
    assert (found.goal.status, found.goal.waits_for, found.goal.wake_at) == (G.WAITING, WaitsFor.QUESTION, None)
    assert decisions == ()


def test_one_answer_of_two_is_enough_to_go_on():
    asked = node("a", P.GATHER_INFO, status=S.WAITING, asked=True)
    answered = node("b", P.GATHER_INFO, worked=True)
    follower = node("d", depends_on=frozenset({"b"}), status=S.PENDING)
    found = tree_of(composite(), asked, answered, follower, status=G.WAITING, waits_for=WaitsFor.QUESTION)
    assert asked_for(found) == [(Action.ACT, "d")]


def test_an_unanswered_question_keeps_its_goal_waiting():
    asked = node("root", P.GATHER_INFO, status=S.WAITING, asked=True)
    found = tree_of(asked, status=G.WAITING, waits_for=WaitsFor.QUESTION)
    assert settle(found, NOW) == (found, [], ())


def test_evidence_from_elsewhere_ends_the_wait_for_an_answer():
    asked = node("root", P.GATHER_INFO, status=S.WAITING, asked=True, done_when=(has("origin"),))
    found = tree_of(asked, status=G.WAITING, waits_for=WaitsFor.QUESTION, evidence=("origin",))
    ended, _ = settled(found)
    assert statuses(ended) == {"root": "achieved"}
    assert ended.node("root").asked, "whoever writes the end must see that a question is still open"


def test_a_question_and_a_timer_wake_the_goal_by_whichever_comes_first():
    asked = node("a", P.GATHER_INFO, status=S.WAITING, asked=True)
    timed = node("b", status=S.WAITING, wake_at=LATER)
    found, _ = settled(tree_of(composite(), asked, timed))
    assert (found.goal.waits_for, found.goal.wake_at) == (WaitsFor.QUESTION, LATER)
    assert asked_for(found, LATER) == [(Action.ACT, "b")]


def test_a_tree_that_waits_for_nobody_pauses_and_says_so():
    circle = [node(a, depends_on=frozenset({b}), status=S.PENDING) for a, b in (("a", "b"), ("b", "a"))]
    found, _ = settled(tree_of(composite(), *circle))
    assert (found.goal.status, found.goal.paused_for) == (G.PAUSED, PauseReason.ERROR)
    assert "none is waited for" in found.goal.reason


def test_a_refusal_ends_the_checkpoint_without_asking_again():
    found, _, decisions = settle(tree_of(node("root", P.CONFIRM, failure=Failure(FailureKind.REFUSED, "no"))), NOW)
    assert not any(isinstance(d, Spawn) for d in decisions)
    assert found.checkpoints[0].status == "failed"


def test_what_was_said_of_a_sleep_is_kept_as_long_as_a_node_sleeps_and_no_longer():
    asleep = node("b", status=S.WAITING, wake_at=LATER)
    at_work = tree_of(composite(), node("a"), asleep, reason="the endpoint is left alone")
    assert settled(at_work)[0].goal.reason == "the endpoint is left alone"
    assert settled(at_work, LATER)[0].goal.reason == ""


def test_a_node_that_waits_for_an_answer_does_not_sleep():
    asked = node("b", P.GATHER_INFO, status=S.WAITING, asked=True, wake_at=LATER)
    assert settled(tree_of(composite(), node("a"), asked, reason="it slept"))[0].goal.reason == ""
