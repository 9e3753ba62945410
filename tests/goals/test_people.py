"""What people say and want while a goal runs, against a driver that is at work."""

import json
import threading

import pytest

from goals import events, services
from goals.effects.tool_use import use_tool
from goals.exceptions import StaleGoal
from goals.models import Event, Goal, ModelCall, Question, Subgoal, ToolCall
from goals.states import EffectClass, GoalStatus
from goals.tools.errors import ToolError
from tests.goals import rules
from tests.goals.effects.conftest import planned, tool
from tests.goals.effects.meanwhile import Gate, calling
from tests.goals.effects.work import at_first_step, drive, plan, step
from tests.goals.test_model_goals import DONE, MET, UNMET
from tests.goals.test_model_goals import plan as replied_plan
from tests.goals.test_model_goals import step as drafted

__all__ = ["planned", "tool"]

GOES_ON = {"reply": {"on_track": True, "score": 0.5, "revise": False, "reasoning": "all is well"}}
CHANGES = {"reply": {"on_track": False, "score": 0.5, "revise": True, "reasoning": "the owner wants it in French"}}


def names(endpoint):
    return [request["name"] for request in endpoint.requests]


def prompt(endpoint, name, number=0):
    return json.dumps(endpoint.named(name)[number]["body"]["messages"], ensure_ascii=False)


def steps(goal):
    return [(row.title, row.status, row.attempts) for row in goal.checkpoints.order_by("position")]


def kinds(goal):
    return list(Event.objects.filter(goal=goal).order_by("seq").values_list("kind", flat=True))


# -- steering


def test_a_word_during_the_verification_is_heard_before_the_next_checkpoint(endpoint, submit, meanwhile, settle):
    endpoint.script.update(
        plan_checkpoints=[replied_plan(drafted("First"), drafted("Second"))],
        act=DONE,
        judge_outcome=[{**MET, "hold": meanwhile.over}, MET, MET],
        evaluate_progress=GOES_ON,
    )
    goal = submit()

    def verifying():
        return calling(goal, "judge_outcome")()

    goal = settle(meanwhile(goal, verifying, lambda: services.steer(goal.owner, goal.pk, "In French, please")))
    assert goal.status == GoalStatus.COMPLETED
    assert names(endpoint)[1:] == [
        "act",
        "judge_outcome",
        "summarise_context",
        "evaluate_progress",
        "act",
        "judge_outcome",
        "judge_outcome",
    ]
    assert "In French, please" in prompt(endpoint, "evaluate_progress")
    assert "In French, please" in prompt(endpoint, "act", 1)
    assert steps(goal) == [("First", "completed", 1), ("Second", "completed", 1)]
    assert rules.violations() == []


def test_what_the_word_changes_is_planned_with_the_word(endpoint, submit, meanwhile, settle):
    endpoint.script.update(
        plan_checkpoints=[replied_plan(drafted("First"), drafted("Second"))],
        act=[{**DONE, "hold": meanwhile.over}, DONE],
        judge_outcome=MET,
        evaluate_progress=[CHANGES],
        revise_plan=[replied_plan(drafted("In French"))],
    )
    goal = submit()
    goal = meanwhile(goal, calling(goal, "act"), lambda: services.steer(goal.owner, goal.pk, "In French, please"))
    goal = settle(goal)
    assert steps(goal) == [("First", "completed", 1), ("Second", "skipped", 0), ("In French", "completed", 1)]
    assert "In French, please" in prompt(endpoint, "revise_plan")
    assert (goal.revision, goal.asked_revisions, goal.revise_streak) == (1, 1, 0)
    assert len(endpoint.named("evaluate_progress")) == 1


def test_a_word_about_the_last_checkpoint_is_heard_before_the_goal_is_completed(endpoint, submit, meanwhile, settle):
    endpoint.script.update(
        plan_checkpoints=[replied_plan(drafted("Only"))],
        act=DONE,
        judge_outcome=[MET, {**MET, "hold": meanwhile.over}, MET, MET],
        evaluate_progress=[CHANGES],
        revise_plan=[replied_plan(drafted("In French"))],
    )
    goal = submit()

    def judged_as_a_whole():
        return calling(goal, "judge_outcome", checkpoint=None)()

    goal = meanwhile(goal, judged_as_a_whole, lambda: services.steer(goal.owner, goal.pk, "In French, please"))
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED
    assert steps(goal) == [("Only", "completed", 1), ("In French", "completed", 1)]
    assert rules.violations() == []


def test_a_word_that_comes_while_the_plan_is_looked_at_is_heard_as_well(endpoint, submit, meanwhile, settle):
    spoken = threading.Event()
    endpoint.script.update(
        plan_checkpoints=[replied_plan(drafted("First"), drafted("Second"))],
        act=[{**DONE, "hold": spoken.is_set}, DONE],
        judge_outcome=MET,
        evaluate_progress=[{**GOES_ON, "hold": meanwhile.over}, GOES_ON],
    )
    goal = submit()

    def speak_twice():
        services.steer(goal.owner, goal.pk, "first word")
        spoken.set()
        assert calling(goal, "evaluate_progress")()
        services.steer(goal.owner, goal.pk, "second word")

    goal = settle(meanwhile(goal, calling(goal, "act"), speak_twice))
    assert names(endpoint).count("evaluate_progress") == 2
    assert "second word" not in prompt(endpoint, "evaluate_progress", 0)
    assert "second word" in prompt(endpoint, "evaluate_progress", 1)
    assert (goal.words, goal.words_heard) == (2, 2)


def test_a_word_before_the_plan_is_made_goes_into_the_plan_and_needs_no_other_look(endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=[replied_plan(drafted("Only"))], act=DONE, judge_outcome=MET)
    goal = submit()
    services.steer(goal.owner, goal.pk, "In French, please")
    goal = settle(goal)
    assert "In French, please" in prompt(endpoint, "plan_checkpoints")
    assert "evaluate_progress" not in names(endpoint)
    assert goal.status == GoalStatus.COMPLETED


def test_every_word_that_nobody_has_looked_at_is_told(endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=[replied_plan(drafted("Only"))], act=DONE, judge_outcome=MET)
    goal = submit()
    for number in range(9):
        services.steer(goal.owner, goal.pk, f"wish number {number}")
    settle(goal)
    assert all(f"wish number {number}" in prompt(endpoint, "plan_checkpoints") for number in range(9))


def test_a_word_to_a_paused_goal_is_heard_before_what_had_not_begun(endpoint, submit, settle):
    endpoint.script.update(act=DONE, judge_outcome=MET, evaluate_progress=GOES_ON)
    goal = submit("Act")
    step(goal, 0, "execute", {"instructions": "act"}, operation="think")
    goal = plan(goal)
    drive(goal)
    services.pause(goal.owner, goal.pk)
    assert steps(goal) == [("Step 0", "pending", 0)]
    assert kinds(goal)[-3:] == ["goal.paused", "subgoal.skipped", "checkpoint.yielded"]
    services.steer(goal.owner, goal.pk, "In French, please")
    services.resume(goal.owner, goal.pk)
    Goal.objects.filter(pk=goal.pk).update(lease_expires_at=None)
    goal = settle(goal)
    assert names(endpoint)[:2] == ["evaluate_progress", "act"]
    assert steps(goal) == [("Step 0", "completed", 1)]
    assert Subgoal.objects.filter(goal=goal).count() == 2
    assert events.broken_at(goal.pk) is None


def test_a_checkpoint_whose_driver_died_before_it_began_hears_a_word_first(endpoint, submit, settle):
    endpoint.script.update(act=DONE, judge_outcome=MET, evaluate_progress=GOES_ON)
    goal = submit("Act")
    step(goal, 0, "execute", {"instructions": "act"}, operation="think")
    goal = plan(goal)
    drive(goal)  # and nothing more: its worker is gone
    services.steer(goal.owner, goal.pk, "In French, please")
    Goal.objects.filter(pk=goal.pk).update(lease_expires_at=None)
    goal = settle(goal)
    assert names(endpoint)[:2] == ["evaluate_progress", "act"]
    assert steps(goal) == [("Step 0", "completed", 1)]
    assert "checkpoint.yielded" in kinds(goal)


def test_a_pause_while_the_context_is_summarised_keeps_the_summary(endpoint, submit, meanwhile, settle):
    endpoint.script.update(
        plan_checkpoints=[replied_plan(drafted("First"), drafted("Second"))],
        act=DONE,
        judge_outcome=MET,
        summarise_context={"reply": {"summary": "so far so good"}, "hold": meanwhile.over},
    )
    goal = submit()
    goal = meanwhile(goal, calling(goal, "summarise_context"), lambda: services.pause(goal.owner, goal.pk))
    assert (goal.status, goal.summary) == (GoalStatus.PAUSED, "so far so good")
    assert steps(goal) == [("First", "completed", 1), ("Second", "pending", 0)]
    services.resume(goal.owner, goal.pk)
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED
    assert len(endpoint.named("summarise_context")) == 1
    assert rules.violations() == []


# -- another plan


def test_another_plan_takes_the_work_out_of_hand_and_the_call_in_flight_is_kept(endpoint, submit, meanwhile, settle):
    endpoint.script.update(
        plan_checkpoints=[replied_plan(drafted("First"))],
        act=[{**DONE, "hold": meanwhile.over}, DONE],
        judge_outcome=MET,
        revise_plan=[replied_plan(drafted("Cheaper"))],
    )
    goal = submit()
    goal = meanwhile(goal, calling(goal, "act"), lambda: services.revise(goal.owner, goal.pk, "cheaper"))
    goal = settle(goal)
    assert steps(goal) == [("First", "skipped", 0), ("Cheaper", "completed", 1)]
    assert kinds(goal).count("checkpoint.yielded") == 1
    assert "cheaper" in prompt(endpoint, "revise_plan")
    assert ModelCall.objects.filter(goal=goal, purpose="act", status="succeeded").count() == 2
    assert goal.status == GoalStatus.COMPLETED
    assert rules.violations() == []


def test_another_plan_withdraws_the_question_that_the_goal_waits_for(endpoint, submit, settle):
    asks = drafted("Ask", "gather_info", args={"prompt": "Which colour?"}, evidence_key="colour")
    endpoint.script.update(
        plan_checkpoints=[replied_plan(asks)],
        act=DONE,
        judge_outcome=MET,
        revise_plan=[replied_plan(drafted("Guess it"))],
    )
    goal = settle(submit())
    assert goal.status == GoalStatus.WAITING
    services.revise(goal.owner, goal.pk, "do not ask me")
    assert Question.objects.get(goal=goal).status == "withdrawn"
    goal = settle(goal)
    assert steps(goal) == [("Ask", "skipped", 0), ("Guess it", "completed", 1)]
    assert rules.violations() == []


def test_what_is_being_done_outside_is_finished_before_the_plan_changes(endpoint, planned, tool, meanwhile, settle):
    gate = Gate()
    booking = tool("booking", EffectClass.EXTERNAL, gate)
    tool("other", EffectClass.PURE)
    goal = planned("booking", "other", verifier={"type": "artifact", "name": "step0"})
    endpoint.script["revise_plan"] = [replied_plan(drafted("Instead", "present_info", args={"text": "done"}))]

    def act():
        services.revise(goal.owner, goal.pk, "no second step")
        gate.go_on.set()

    goal = settle(meanwhile(goal, gate.in_flight, act))
    assert steps(goal) == [("Step 0", "completed", 1), ("Step 1", "skipped", 0), ("Instead", "completed", 1)]
    assert len(booking.keys) == 1
    assert "checkpoint.yielded" not in kinds(goal)
    assert rules.violations() == []


def test_a_step_that_was_given_up_a_moment_before_sends_nothing(endpoint, planned, tool):
    booking = tool("booking", EffectClass.EXTERNAL)
    goal = planned("booking", verifier={"type": "artifact", "name": "step0"})
    at_work, subgoal = at_first_step(goal)
    services.revise(goal.owner, goal.pk, "no booking")
    with pytest.raises(ToolError, match="nothing was sent"):
        use_tool(at_work, subgoal.pk)
    assert booking.keys == []
    assert ToolCall.objects.get(goal=goal).status == "failed"


def test_a_second_wish_during_the_revision_is_not_lost(endpoint, submit, meanwhile, settle):
    endpoint.script.update(
        plan_checkpoints=[replied_plan(drafted("First"))],
        act=DONE,
        judge_outcome=[UNMET] * 3 + [MET] * 9,
        revise_plan=[{**replied_plan(drafted("Second")), "hold": meanwhile.over}, replied_plan(drafted("Third"))],
    )
    goal = submit()
    goal = meanwhile(goal, calling(goal, "revise_plan"), lambda: services.revise(goal.owner, goal.pk, "much cheaper"))
    goal = settle(goal)
    assert "much cheaper" in prompt(endpoint, "revise_plan", 1)
    assert [title for title, status, _ in steps(goal) if status == "completed"] == ["Third"]


def test_a_goal_that_only_watches_has_no_plan_to_change(submit):
    goal = submit("Watch", mode="monitor", verifier={"type": "artifact", "name": "x"})
    with pytest.raises(StaleGoal, match="only watches"):
        services.revise(goal.owner, goal.pk, "cheaper")
