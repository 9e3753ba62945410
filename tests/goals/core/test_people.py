"""What people's words and wishes do to the plan and to the checkpoint in hand."""

from dataclasses import replace
from typing import Any

import pytest

from goals.decisions import Action, Failure, FailureKind, Move
from goals.engine import decide
from goals.progress import Evaluation, next_streak
from goals.states import Begun, Kind, Verdict, WaitsFor
from goals.tree import CheckpointView, Limits, Node, Snapshot
from tests.goals.core.build import (
    LATER,
    NOW,
    C,
    G,
    P,
    S,
    asked_for,
    checkpoint,
    composite,
    goal,
    node,
    pending,
    settled,
)

DONE = CheckpointView("c0", 0, C.COMPLETED)


def in_hand(*nodes: Node, begun: Begun = Begun.NOTHING, **goal_facts: Any) -> Snapshot:
    """A checkpoint in its second attempt, and one that is pending."""
    found = checkpoint(attempts=2, begun=begun, failure="it was thin")
    return Snapshot(goal(**goal_facts), (found, pending()), nodes or (node("root"),))


def yielded(snapshot: Snapshot) -> Move | None:
    moves = [d for d in decide(snapshot, NOW) if isinstance(d, Move) and d.event == "checkpoint.yielded"]
    return moves[0] if moves else None


def test_a_word_is_heard_before_the_next_checkpoint_begins():
    told = Snapshot(goal(words=1), (DONE, pending()))
    assert asked_for(told) == [(Action.EVALUATE, "goal")]
    heard = replace(told, goal=goal(words=1, words_heard=1))
    assert settled(heard)[0].active is not None


def test_a_word_is_heard_after_the_summary_that_the_look_needs():
    told = Snapshot(goal(words=1, summary_due=True), (DONE,))
    assert asked_for(told) == [(Action.SUMMARISE, "goal")]


@pytest.mark.parametrize("facts", [{}, {"verdict": Verdict.MET}, {"unachievable": "it cannot be done"}])
def test_a_word_is_heard_before_the_goal_comes_to_its_end(facts):
    told = Snapshot(goal(words=1, **facts), (DONE,))
    assert asked_for(told) == [(Action.EVALUATE, "goal")]


def test_a_wish_for_another_plan_goes_before_the_look_at_the_plan():
    assert asked_for(Snapshot(goal(words=1, revise_reason="cheaper"), (DONE, pending()))) == [(Action.REVISE, "goal")]


def test_revisions_that_people_asked_for_do_not_use_up_those_of_the_goal():
    wish = goal(revise_reason="cheaper", revision=5, asked_revisions=1)
    assert asked_for(Snapshot(wish, (DONE,), limits=Limits(revisions=5))) == [(Action.REVISE, "goal")]
    failed, _ = settled(Snapshot(replace(wish, asked_revisions=0), (DONE,), limits=Limits(revisions=5)))
    assert failed.goal.status == G.FAILED


def test_a_change_that_somebody_asked_for_is_no_sign_of_standing_still():
    asked = Evaluation(on_track=False, revise=True, score=0.5, asked=True)
    assert next_streak(2, asked) == 2
    assert next_streak(2, replace(asked, asked=False)) == 3
    assert next_streak(2, Evaluation(on_track=True, revise=False, score=0.5, asked=True)) == 0


# -- the checkpoint in hand


def test_an_attempt_that_has_not_begun_gives_way_to_a_word_and_is_refunded():
    told = in_hand(words=1)
    move = yielded(told)
    assert move.payload == {"reason": "somebody wrote before it began"}
    after, decisions = settled(told)
    [found, _] = after.checkpoints
    assert (found.status, found.attempts, found.yields, found.root) == (C.PENDING, 1, 1, None)
    assert after.node("root").status == S.SKIPPED
    assert [d.action for d in decisions] == [Action.EVALUATE]


def test_it_then_begins_again_with_the_same_number_and_what_was_said_of_the_last_attempt():
    after, _ = settled(in_hand(words=1))
    _, [spawn] = settled(replace(after, goal=replace(after.goal, words_heard=1)))
    assert (spawn.checkpoint, spawn.attempt, spawn.reason) == ("c", 2, "it was thin")


@pytest.mark.parametrize(
    "root",
    [
        node("root", worked=True),
        node("root", asked=True),
        node("root", attempts=2),
        node("root", P.COMPOSITE, atomized="plan"),
        node("root", failure=Failure(FailureKind.MODEL, "the endpoint is down")),
        node("root", status=S.WAITING, asked=True),
        node("root", status=S.ACHIEVED),
    ],
)
def test_what_has_begun_is_finished_before_a_word_is_heard(root):
    assert yielded(in_hand(root, words=1)) is None
    assert yielded(in_hand(words=1, begun=Begun.INSIDE)) is None
    assert yielded(in_hand(composite(), node("child"), words=1)) is None


def test_a_wish_for_another_plan_takes_work_out_of_hand_with_its_whole_tree():
    work = in_hand(
        composite(),
        node("done", status=S.ACHIEVED),
        node("asked", status=S.WAITING, asked=True),
        node("at work"),
        begun=Begun.INSIDE,
        revise_reason="cheaper",
    )
    after, decisions = settled(work)
    assert {n.id: n.status for n in after.nodes} == {
        "root": S.SKIPPED,
        "done": S.ACHIEVED,
        "asked": S.SKIPPED,
        "at work": S.SKIPPED,
    }
    assert after.checkpoints[0].status == C.PENDING
    assert [d.action for d in decisions] == [Action.REVISE]


def test_what_was_done_outside_is_not_given_up_for_another_plan():
    assert yielded(in_hand(begun=Begun.OUTSIDE, revise_reason="cheaper")) is None
    assert asked_for(in_hand(begun=Begun.OUTSIDE, revise_reason="cheaper")) == [(Action.ACT, "root")]


def test_work_that_has_come_to_its_end_is_verified_before_the_plan_changes():
    done = in_hand(node("root", status=S.ACHIEVED), begun=Begun.INSIDE, revise_reason="cheaper")
    assert asked_for(done) == [(Action.VERIFY_CHECKPOINT, "c")]
    met = replace(done, checkpoints=(replace(done.checkpoints[0], verdict=Verdict.MET),))
    after, decisions = settled(met)
    assert after.checkpoints[0].status == C.COMPLETED
    assert [d.action for d in decisions] == [Action.REVISE]


def test_an_attempt_that_failed_is_not_made_again_when_another_plan_was_asked_for():
    unmet = in_hand(node("root", status=S.ACHIEVED), revise_reason="cheaper")
    unmet = replace(unmet, checkpoints=(replace(unmet.checkpoints[0], verdict=Verdict.UNMET, attempts=1),))
    after, _ = settled(unmet)
    assert after.checkpoints[0].status == C.FAILED
    assert after.goal.revise_reason == "cheaper; it was thin"


@pytest.mark.parametrize("waits_for", [WaitsFor.QUESTION, WaitsFor.TIMER])
def test_a_goal_that_waits_wakes_for_a_wish_for_another_plan(waits_for):
    root = node("root", status=S.WAITING, asked=True)
    waits = {"status": G.WAITING, "waits_for": waits_for, "wake_at": None}
    assert decide(in_hand(root, begun=Begun.INSIDE, **waits), NOW) == ()
    after, decisions = settled(in_hand(root, begun=Begun.INSIDE, revise_reason="cheaper", **waits))
    assert (after.goal.status, after.goal.waits_for) == (G.ACTIVE, "")
    assert [d.action for d in decisions] == [Action.REVISE]


def test_a_goal_that_waits_with_something_done_outside_goes_on_waiting():
    root = node("root", status=S.WAITING, asked=True)
    wish = {"status": G.WAITING, "waits_for": WaitsFor.QUESTION, "revise_reason": "cheaper"}
    assert decide(in_hand(root, begun=Begun.OUTSIDE, **wish), NOW) == ()


@pytest.mark.parametrize("checkpoints", [(DONE,), (DONE, checkpoint(position=1, begun=Begun.INSIDE))])
def test_a_wish_for_another_plan_does_not_cut_short_the_pause_before_it_is_tried_again(checkpoints):
    waits = {"status": G.WAITING, "waits_for": WaitsFor.TIMER, "wake_at": LATER, "revise_reason": "cheaper"}
    waiting = Snapshot(goal(**waits), checkpoints, (node("root", status=S.ACHIEVED),))
    assert decide(waiting, NOW) == ()


def test_a_paused_goal_holds_nothing_that_has_not_begun():
    after, decisions = settled(in_hand(status=G.PAUSED, paused_for="user"))
    assert (after.goal.status, after.checkpoints[0].status, decisions) == (G.PAUSED, C.PENDING, ())
    held, _ = settled(in_hand(status=G.PAUSED, paused_for="user", begun=Begun.INSIDE))
    assert held.checkpoints[0].status == C.ACTIVE


def test_a_crash_before_anything_began_costs_no_attempt():
    stranded = in_hand()
    assert asked_for(stranded) == [(Action.ACT, "root")]
    assert stranded.checkpoints[0].attempts == 2
    assert yielded(in_hand(words=1)).kind is Kind.CHECKPOINT
