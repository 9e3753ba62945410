"""The rules of the goal: planning, iteration, its verifier's last word, waits, pauses, endings, monitor mode."""

from dataclasses import replace
from datetime import timedelta

import pytest

from goals.decisions import Action, Failure, FailureKind, Move
from goals.engine import decide, settle
from goals.states import TERMINAL, GoalStatus, Kind, Mode, Outcome, PauseReason, Verdict, WaitsFor
from goals.tree import GoalView, Limits, Snapshot, WatchView, apply
from tests.goals.core.build import LATER, NOW, C, G, P, S, asked_for, node, pending, plan_of, settled, tree_of

MODEL_DOWN = Failure(FailureKind.MODEL, "the endpoint is down")


def fresh(**facts) -> Snapshot:
    return Snapshot(GoalView(id="goal", **facts))


def test_the_verifier_runs_before_any_money_is_spent():
    assert asked_for(fresh(preflight_due=True)) == [(Action.PREFLIGHT, "goal")]
    assert asked_for(fresh()) == [(Action.PLAN, "goal")]


def test_a_goal_met_before_it_began_is_completed_without_a_plan():
    found, decisions = settled(fresh(verdict=Verdict.MET, verdict_reason="it is there"))
    assert (found.goal.status, found.goal.outcome, found.goal.reason) == (G.COMPLETED, Outcome.ACHIEVED, "it is there")
    assert decisions == ()


def test_a_planned_goal_starts():
    found, _ = settled(replace(fresh(plan_due=False), checkpoints=(pending(),)))
    assert found.goal.status == G.ACTIVE
    assert found.checkpoints[0].status == C.ACTIVE


def test_nothing_left_to_do_is_not_yet_done():
    found, decisions = settled(plan_of())
    assert found.goal.status == G.ACTIVE
    assert [d.action for d in decisions] == [Action.VERIFY_GOAL]


def test_a_met_verifier_completes():
    found, _ = settled(plan_of(verdict=Verdict.MET, verdict_reason="well done"))
    assert (found.goal.status, found.goal.outcome, found.goal.reason) == (G.COMPLETED, Outcome.ACHIEVED, "well done")


def test_an_unmet_verifier_begins_another_iteration_with_a_new_plan():
    found, decisions = settled(plan_of(verdict=Verdict.UNMET, since_evaluation=2))
    goal = found.goal
    assert (goal.iteration, goal.verdict, goal.since_evaluation) == (2, "", 0)
    assert [d.action for d in decisions] == [Action.PLAN]


def test_iterations_are_bounded():
    found, _ = settled(plan_of(verdict=Verdict.UNMET, iteration=8, verdict_reason="short"))
    assert (found.goal.status, found.goal.outcome) == (G.FAILED, Outcome.EXHAUSTED)
    assert "short" in found.goal.reason


def test_the_same_fingerprint_three_times_is_unachievable():
    found, _ = settled(plan_of(verdict=Verdict.UNMET, repeats=3))
    assert (found.goal.status, found.goal.outcome) == (G.FAILED, Outcome.UNACHIEVABLE)
    assert asked_for(plan_of(verdict=Verdict.UNMET, repeats=2)) == [(Action.PLAN, "goal")]


def test_a_model_that_gives_up_is_believed_only_after_the_verifier():
    assert asked_for(plan_of(pending(), unachievable="cannot")) == [(Action.VERIFY_GOAL, "goal")]
    found, _ = settled(plan_of(unachievable="cannot", verdict=Verdict.UNMET))
    assert (found.goal.outcome, found.goal.reason) == (Outcome.UNACHIEVABLE, "cannot")
    found, _ = settled(plan_of(unachievable="cannot", verdict=Verdict.MET))
    assert found.goal.status == G.COMPLETED


def test_a_broken_verifier_pauses_and_runs_again_after_the_resume():
    found, _ = settled(plan_of(verdict=Verdict.BROKEN, verdict_reason="no such file"))
    assert (found.goal.status, found.goal.paused_for) == (G.PAUSED, PauseReason.ERROR)
    resumed = replace(found, goal=replace(found.goal, status=G.ACTIVE, paused_for=""))
    assert asked_for(resumed) == [(Action.VERIFY_GOAL, "goal")]


@pytest.mark.parametrize("verdict", [Verdict.MET, Verdict.UNMET])
def test_a_verdict_from_before_the_work_proves_nothing_about_it(verdict):
    """A person asks for another plan while the verifier runs: its answer must not end the goal after the new work."""
    found, _ = settled(plan_of(pending(), verdict=verdict))
    assert found.goal.verdict == ""
    assert found.checkpoints[0].status == C.ACTIVE


def test_an_invalid_plan_fails_the_goal_with_the_list_of_errors():
    found, _ = settled(fresh(failure=Failure(FailureKind.PLAN, "unknown tool fly")))
    assert (found.goal.status, found.goal.outcome, found.goal.reason) == (G.FAILED, Outcome.ERROR, "unknown tool fly")


@pytest.mark.parametrize("status", [G.PLANNING, G.ACTIVE])
def test_a_failed_effect_on_the_goal_waits_and_is_tried_again(status):
    snapshot = plan_of(status=status, plan_due=True, failure=MODEL_DOWN)
    found, decisions = settled(snapshot)
    assert decisions == ()
    assert (found.goal.failure, found.goal.attempt) == (None, 2)
    assert found.goal.wake_at > NOW
    assert asked_for(found, found.goal.wake_at) == [(Action.PLAN, "goal")]


def test_retries_on_the_goal_are_bounded_and_then_it_pauses():
    found, _ = settled(plan_of(failure=MODEL_DOWN, attempt=3))
    assert (found.goal.status, found.goal.paused_for, found.goal.attempt) == (G.PAUSED, PauseReason.ERROR, 1)
    assert found.goal.reason == "the endpoint is down"


def test_what_the_endpoint_asked_for_is_respected():
    slow = Failure(FailureKind.MODEL, "429", retry_after=120.0)
    assert settled(plan_of(failure=slow))[0].goal.wake_at >= NOW + timedelta(seconds=120)


@pytest.mark.parametrize("status", sorted(TERMINAL[Kind.GOAL]))
def test_an_ended_goal_never_comes_back_by_itself(status):
    tempting = tree_of(
        node("root"), status=GoalStatus(status), wake_at=NOW, plan_due=True, failure=MODEL_DOWN, verdict=Verdict.MET
    )
    assert decide(tempting, LATER) == ()


def test_a_cancel_during_a_model_call_stays_cancelled():
    working = tree_of(node("root"))
    (call,) = decide(working, NOW)
    cancelled = replace(working, goal=replace(working.goal, status=G.CANCELLED))
    late = apply(cancelled, Move(Kind.SUBGOAL, call.target, S.ACTIVE, None, {"worked": True}))
    again, moves, decisions = settle(late, LATER)
    assert (again.goal.status, moves, decisions) == (G.CANCELLED, [], ())


@pytest.mark.parametrize("why", list(PauseReason))
def test_a_paused_goal_moves_for_nobody_but_a_person(why):
    paused = tree_of(node("root"), status=G.PAUSED, paused_for=why, wake_at=NOW)
    assert decide(paused, LATER) == ()


def test_a_goal_that_waits_for_a_time_is_not_moved_by_a_question():
    waiting = tree_of(node("root", P.GATHER_INFO), status=G.WAITING, waits_for=WaitsFor.TIMER, wake_at=LATER)
    assert decide(waiting, NOW) == ()
    assert asked_for(waiting, LATER) == [(Action.ASK, "root")]


def monitor(**facts) -> Snapshot:
    return plan_of(mode=Mode.MONITOR, **facts)


def test_a_monitor_takes_no_turn_but_looks():
    assert asked_for(Snapshot(GoalView(id="goal", mode=Mode.MONITOR))) == [(Action.LOOK, "goal")]


def test_a_monitor_looks_again_after_its_interval():
    found, decisions = settled(monitor(verdict=Verdict.UNMET, watch=WatchView(interval=30.0)))
    assert decisions == ()
    goal = found.goal
    assert (goal.status, goal.waits_for, goal.wake_at) == (G.WAITING, WaitsFor.WATCH, NOW + timedelta(seconds=30))
    assert asked_for(found, goal.wake_at) == [(Action.LOOK, "goal")]


def test_a_look_that_saw_nothing_new_is_no_line_of_history():
    told = [settle(monitor(verdict=Verdict.UNMET, watch=WatchView(quiet=quiet)), NOW)[1] for quiet in (False, True)]
    assert [[move.event for move in moves] for moves in told] == [["goal.waiting"], [""]]


def test_a_monitor_that_sees_its_condition_ends():
    assert settled(monitor(verdict=Verdict.MET))[0].goal.status == G.COMPLETED


@pytest.mark.parametrize(("fired", "end"), [(0, (G.FAILED, Outcome.EXHAUSTED)), (2, (G.COMPLETED, Outcome.ACHIEVED))])
def test_a_monitor_wakes_at_its_deadline_and_ends_by_whether_it_has_fired(fired, end):
    deadline = NOW + timedelta(seconds=10)
    found, _ = settled(monitor(verdict=Verdict.UNMET, watch=WatchView(deadline=deadline, fired=fired)))
    assert found.goal.wake_at == deadline
    ended, _ = settled(found, deadline)
    assert (ended.goal.status, ended.goal.outcome) == end


def test_limits_are_the_goals_own():
    strict = Limits(iterations=1)
    assert settled(plan_of(verdict=Verdict.UNMET, limits=strict))[0].goal.status == G.FAILED


def test_an_engine_that_would_not_settle_says_so():
    with pytest.raises(RuntimeError, match="does not settle"):
        settle(plan_of(pending()), NOW, limit=0)


@pytest.mark.parametrize(
    "facts", [{"plan_due": True}, {"revise_reason": "otherwise"}, {"iteration": 2, "plan_due": True}]
)
def test_a_plan_that_waits_for_approval_stops_all_but_the_waiting(facts):
    found, decisions = settled(plan_of(pending(), plan_asked=True, **facts))
    assert (found.goal.status, found.goal.waits_for, found.goal.wake_at) == (G.WAITING, WaitsFor.QUESTION, None)
    assert decisions == ()
    assert settled(found)[0] == found


def test_the_first_plan_waits_before_anything_is_active_and_its_answer_wakes_the_goal():
    found, _ = settled(fresh(plan_asked=True))
    assert (found.goal.status, found.goal.waits_for) == (G.WAITING, WaitsFor.QUESTION)
    written = replace(found, goal=replace(found.goal, plan_asked=False, plan_due=False), checkpoints=(pending(),))
    assert settled(written)[0].checkpoints[0].status == C.ACTIVE
    again = replace(found, goal=replace(found.goal, plan_asked=False))
    assert asked_for(again) == [(Action.PLAN, "goal")]


def waiting_plan(**facts):
    return plan_of(pending(), **{"plan_asked": True, "plan_wake_at": LATER, "revise_reason": "otherwise", **facts})


def test_a_plan_that_nobody_answers_is_reminded_of_once_and_then_pauses_the_goal():
    found, decisions = settled(waiting_plan())
    assert (found.goal.status, found.goal.wake_at, decisions) == (G.WAITING, LATER, ())
    assert asked_for(found, LATER) == [(Action.REMIND_OF_PLAN, "goal")]
    reminded, decisions = settled(waiting_plan(plan_reminded=True))
    assert (reminded.goal.status, decisions) == (G.WAITING, ())
    paused, decisions = settled(reminded, LATER)
    assert (paused.goal.status, paused.goal.paused_for, paused.goal.plan_asked) == (G.PAUSED, "approval", True)
    assert "nobody answered" in paused.goal.reason
    assert decisions == ()


def test_a_plan_that_was_not_answered_in_time_is_waited_for_after_a_resume():
    paused, _ = settled(waiting_plan(plan_reminded=True), LATER)
    resumed = replace(paused, goal=replace(paused.goal, status=G.ACTIVE, paused_for=""))
    found, decisions = settled(resumed, LATER + timedelta(days=9))
    assert (found.goal.status, found.goal.waits_for, found.goal.wake_at) == (G.WAITING, WaitsFor.QUESTION, None)
    assert decisions == ()
