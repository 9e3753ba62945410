"""The rules of a checkpoint: attempts, verification, time, summaries, evaluation, revision."""

from dataclasses import replace

import pytest

from goals.decisions import Action, Failure, FailureKind, Spawn
from goals.states import Outcome, PauseReason, Verdict
from goals.tree import Limits
from tests.goals.core.build import (
    C,
    G,
    S,
    asked_for,
    checkpoint,
    composite,
    has,
    node,
    pending,
    plan_of,
    settled,
    statuses,
    tree_of,
)

BROKE = Failure(FailureKind.TOOL, "it broke")


def worked_through(**facts):
    """A checkpoint whose root is achieved, with the next one pending."""
    snapshot = tree_of(node("root", status=S.ACHIEVED))
    return replace(snapshot, checkpoints=(checkpoint(**facts), pending()))


def test_the_next_checkpoint_is_opened_with_its_first_attempt():
    found, decisions = settled(plan_of(pending(3), pending(1), pending(2)))
    assert decisions == (Spawn("c1", 1),)
    assert [c.status for c in found.checkpoints] == [C.PENDING, C.ACTIVE, C.PENDING]


def test_a_yielded_checkpoint_gets_its_attempt_back():
    yielded = replace(pending(), attempts=1)
    assert settled(plan_of(yielded))[1] == (Spawn("c1", 2),)
    assert settled(plan_of(replace(yielded, attempts=0)))[1] == (Spawn("c1", 1),)


def test_done_work_is_verified_before_it_counts():
    found, decisions = settled(worked_through())
    assert [d.action for d in decisions] == [Action.VERIFY_CHECKPOINT]
    assert found.checkpoints[0].status == C.ACTIVE


def test_a_passing_verification_completes_and_the_context_is_summarised():
    found, decisions = settled(worked_through(verdict=Verdict.MET))
    assert found.checkpoints[0].status == C.COMPLETED
    assert found.goal.since_evaluation == 1
    assert [d.action for d in decisions] == [Action.SUMMARISE]


def test_a_checkpoint_that_says_nothing_new_is_not_summarised():
    _, decisions = settled(worked_through(verdict=Verdict.MET, says_something_new=False))
    assert decisions == (Spawn("c1", 1),)


def test_the_last_checkpoint_needs_no_summary():
    snapshot = replace(worked_through(verdict=Verdict.MET), checkpoints=(checkpoint(verdict=Verdict.MET),))
    assert asked_for(snapshot) == [(Action.VERIFY_GOAL, "goal")]


@pytest.mark.parametrize(("attempt", "again"), [(1, 2), (2, 3)])
def test_an_unmet_verification_brings_another_attempt_with_the_reason(attempt, again):
    snapshot = worked_through(verdict=Verdict.UNMET, failure="too short", attempts=attempt)
    assert settled(snapshot)[1] == (Spawn("c", again, "too short"),)


def test_the_last_unmet_attempt_revises_the_plan():
    found, decisions = settled(worked_through(verdict=Verdict.UNMET, failure="too short", attempts=3))
    assert found.checkpoints[0].status == C.FAILED
    assert found.goal.revise_reason == "too short"
    assert [d.action for d in decisions] == [Action.REVISE]


def test_a_failed_attempt_without_a_reason_still_revises():
    found, _ = settled(worked_through(verdict=Verdict.UNMET, attempts=3))
    assert found.goal.revise_reason


def test_a_broken_verifier_pauses_and_is_asked_again_after_the_resume():
    found, decisions = settled(worked_through(verdict=Verdict.BROKEN, failure="no such file"))
    assert (found.goal.status, found.goal.paused_for) == (G.PAUSED, PauseReason.ERROR)
    assert "no such file" in found.goal.reason
    assert decisions == ()
    resumed = replace(found, goal=replace(found.goal, status=G.ACTIVE, paused_for=""))
    assert asked_for(resumed) == [(Action.VERIFY_CHECKPOINT, "c")]


def test_what_a_person_asks_for_does_not_count_as_a_revision():
    asked = plan_of(pending(), revise_reason="use the train", revision=5, asked_revisions=1)
    assert asked_for(asked) == [(Action.REVISE, "goal")]
    found, _ = settled(plan_of(pending(), revise_reason="too short", revision=6, asked_revisions=1))
    assert found.goal.outcome == "exhausted"


def test_no_revision_left_fails_with_the_reason():
    found, _ = settled(plan_of(pending(), revise_reason="too short", revision=5))
    assert (found.goal.status, found.goal.outcome) == (G.FAILED, Outcome.EXHAUSTED)
    assert "too short" in found.goal.reason


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 10), (2, 20), (3, 30), (4, 40), (9, 40)])
def test_the_time_of_an_attempt_grows_with_its_number_to_four_times(attempt, seconds):
    assert Limits(checkpoint_seconds=10).seconds(attempt) == seconds


def late(root, *children, seconds=600.0, **kwargs):
    snapshot = tree_of(root, *children, **kwargs)
    return replace(snapshot, checkpoints=(checkpoint(seconds=seconds),))


def test_an_attempt_out_of_time_is_abandoned_and_tried_again():
    found, decisions = settled(late(composite(), node("a"), node("b", status=S.WAITING, asked=True)))
    assert statuses(found) == {"root": "abandoned", "a": "skipped", "b": "skipped"}
    assert isinstance(decisions[0], Spawn)
    assert decisions[0].attempt == 2


def test_an_attempt_within_its_time_goes_on():
    assert asked_for(late(node("root"), seconds=599.0)) == [(Action.ACT, "root")]


def test_work_that_has_its_result_is_not_thrown_away_for_being_late():
    found, _ = settled(late(node("root", worked=True), seconds=9999.0))
    assert statuses(found) == {"root": "achieved"}
    found, _ = settled(late(node("root", done_when=(has("k"),)), evidence=("k",), seconds=9999.0))
    assert statuses(found) == {"root": "achieved"}


def test_progress_is_evaluated_before_the_next_checkpoint_when_it_is_due():
    assert asked_for(plan_of(pending(), since_evaluation=2)) == [(Action.EVALUATE, "goal")]
    assert settled(plan_of(pending(), since_evaluation=1))[1] == (Spawn("c1", 1),)


def test_a_summary_comes_before_the_evaluation_that_reads_it():
    assert asked_for(plan_of(pending(), since_evaluation=2, summary_due=True)) == [(Action.SUMMARISE, "goal")]


def test_three_evaluations_in_a_row_that_ask_for_revision_pause_the_goal():
    found, decisions = settled(plan_of(pending(), revise_streak=3, revise_reason="off track"))
    assert (found.goal.status, found.goal.paused_for) == (G.PAUSED, PauseReason.NO_PROGRESS)
    assert decisions == ()
    resumed = replace(found, goal=replace(found.goal, status=G.ACTIVE, paused_for=""))
    assert asked_for(resumed) == [(Action.REVISE, "goal")]


def test_the_attempt_in_hand_is_not_judged_by_the_root_of_the_one_before():
    gone = node("root", status=S.ABANDONED, failure=BROKE)
    found = replace(tree_of(gone, node("root2", parent=None)), checkpoints=(checkpoint(root="root2", attempts=2),))
    assert asked_for(found) == [(Action.ACT, "root2")]


def test_an_abandoned_root_with_no_attempt_left_fails_the_checkpoint():
    snapshot = tree_of(node("root", status=S.ABANDONED, failure=BROKE))
    found, _ = settled(replace(snapshot, checkpoints=(checkpoint(attempts=3),)))
    assert found.checkpoints[0].status == C.FAILED
