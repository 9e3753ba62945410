"""What becomes of a question that nobody answers: a reminder, and then no silent yes or no."""

from datetime import timedelta

from goals.decisions import Action
from goals.states import WaitsFor
from tests.goals.core.build import LATER, NOW, G, P, S, asked_for, has, node, settled, tree_of

AFTER = LATER + timedelta(seconds=1)


def asking(**facts):
    return tree_of(node("root", P.GATHER_INFO, **{"status": S.WAITING, "asked": True, "wake_at": LATER, **facts}))


def test_a_goal_waits_for_an_answer_until_it_is_time_to_remind():
    waiting, decisions = settled(asking())
    assert (waiting.goal.status, waiting.goal.waits_for, waiting.goal.wake_at) == (G.WAITING, WaitsFor.QUESTION, LATER)
    assert decisions == ()
    assert asked_for(waiting, AFTER) == [(Action.REMIND, "root")]


def test_work_that_can_go_on_meanwhile_does():
    root = node("root", P.COMPOSITE, atomized="plan")
    both = tree_of(root, node("asked", status=S.WAITING, asked=True, wake_at=LATER), node("other"))
    assert asked_for(both, AFTER) == [(Action.REMIND, "asked"), (Action.ACT, "other")]


def test_it_reminds_once_and_then_waits_for_ever():
    waiting, decisions = settled(asking(reminded=True))
    after, later = settled(waiting, AFTER)
    assert decisions == later == ()
    assert (after.goal.status, after.goal.wake_at) == (G.WAITING, None)
    assert after.node("root").status == S.WAITING


def test_what_must_be_answered_pauses_the_goal_when_its_last_term_is_over():
    waiting, _ = settled(asking(reminded=True, must_answer="May I?"))
    assert waiting.goal.status == G.WAITING
    paused, decisions = settled(waiting, AFTER)
    assert decisions == ()
    assert (paused.goal.status, paused.goal.paused_for) == (G.PAUSED, "approval")
    assert paused.goal.reason == "nobody answered: May I?"
    assert paused.node("root").status == S.WAITING
    assert paused.node("root").failure is None


def test_what_was_answered_in_time_reminds_nobody():
    answered = asking(asked=False, status=S.ACTIVE, worked=True)
    assert (Action.REMIND, "root") not in asked_for(answered, AFTER)


def test_evidence_from_elsewhere_answers_before_any_reminder():
    known = tree_of(
        node("root", P.GATHER_INFO, status=S.WAITING, asked=True, wake_at=LATER, done_when=(has("colour"),)),
        evidence=("colour",),
    )
    after, _ = settled(known, AFTER)
    assert after.node("root").status == S.ACHIEVED
    assert NOW < AFTER
