"""Skip, retry, edit and `pause now`, against a running driver: nothing is lost, nothing is paid twice."""

import threading

import pytest

from goals import checkpoint_acts, services
from goals.effects import journal
from goals.exceptions import InvalidInput, NotFound, StaleGoal
from goals.models import Checkpoint, Goal, ModelCall, Question, ToolCall
from goals.states import CheckpointStatus, EffectClass, GoalStatus
from tests.goals import rules
from tests.goals.effects.meanwhile import Gate, calling, soon
from tests.goals.effects.work import plan, reserved, step

DONE = {"reply": {"status": "done", "result": "Yes.", "outputs": []}}
MET = {"reply": {"met": True, "score": 1, "reason": "so", "evidence": ""}}


def steps(goal):
    return list(Checkpoint.objects.filter(goal=goal).order_by("position"))


def acting(submit, *actions, **wishes):
    goal = submit("Act", verifier={"type": "llm"}, **wishes)
    for position in range(len(actions) or 1):
        step(goal, position, "execute", {"instructions": "act"}, operation="think")
    return plan(goal)


# -- pause now --------------------------------------------------------------------------------------------------


def test_pause_now_does_not_await_the_call_and_its_reply_is_taken_up_at_resume(
    endpoint,
    submit,
    meanwhile,
    settle,
):
    endpoint.script.update(act={**DONE, "hold": meanwhile.over}, judge_outcome=MET)
    goal = acting(submit)

    def act():
        paused = services.pause(goal.owner, goal.pk, now=True)
        assert (paused.status, paused.lease_owner) == (GoalStatus.PAUSED, "")
        assert ModelCall.objects.get(goal=goal).status == "intended"

    goal = meanwhile(goal, calling(goal), act)
    assert goal.status == GoalStatus.PAUSED
    call = ModelCall.objects.get(goal=goal)
    assert (call.status, call.late) == ("succeeded", True)
    assert reserved(goal) == {}
    services.resume(goal.owner, goal.pk)
    assert settle(goal).status == GoalStatus.COMPLETED
    assert len(endpoint.named("act")) == 1
    assert rules.violations() == []


def test_a_resume_while_the_call_is_still_in_flight_pays_it_once(endpoint, submit, meanwhile, settle):
    endpoint.script.update(act={**DONE, "hold": meanwhile.over}, judge_outcome=MET)
    goal = acting(submit)

    def act():
        services.pause(goal.owner, goal.pk, now=True)
        services.resume(goal.owner, goal.pk)
        assert soon(lambda: "in flight when the goal was paused" in Goal.objects.get(pk=goal.pk).reason)

    goal = settle(meanwhile(goal, calling(goal), act))
    assert goal.status == GoalStatus.COMPLETED
    assert len(endpoint.named("act")) == 1
    assert rules.violations() == []


def test_what_a_pause_left_in_flight_is_settled_when_its_worker_died(working, settings):
    goal, epoch = working()
    row = ModelCall(goal=goal, purpose="act", role="worker", model="m", effect_class=EffectClass.PURE, scope="s")
    journal.intend(goal, epoch, row, {})
    services.pause(goal.owner, goal.pk, now=True)
    services.resume(goal.owner, goal.pk)
    goal.refresh_from_db()
    again = ModelCall(goal=goal, purpose="act", role="worker", model="m", effect_class=EffectClass.PURE, scope="s")
    with pytest.raises(journal.StillInFlight):
        journal.intend(goal, goal.lease_epoch, again, {})
    ModelCall.objects.update(created_at=row.created_at - journal.timedelta(seconds=121))
    assert journal.intend(goal, goal.lease_epoch, again, {}).standing == "again"


# -- skip -------------------------------------------------------------------------------------------------------


def test_a_pending_checkpoint_is_skipped_and_the_goal_is_completed_by_its_verifier(endpoint, planned, tool, settle):
    first, second = tool("first", EffectClass.PURE), tool("second", EffectClass.PURE)
    goal = planned("first", "second", "first", verifier={"type": "artifact", "name": "step2"})
    checkpoint_acts.skip(goal.owner, goal.pk, steps(goal)[1].pk, "not needed")
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED
    assert [row.status for row in steps(goal)] == ["completed", "skipped", "completed"]
    assert steps(goal)[1].failure == "not needed"
    assert (len(first.keys), len(second.keys)) == (2, 0)
    assert goal.events.get(kind="checkpoint.skipped").payload["reason"] == "not needed"


def test_a_goal_whose_checkpoints_were_all_skipped_is_not_completed_by_that(endpoint, planned, tool, settle, settings):
    settings.GOALSITE_MAX_ITERATIONS = 1
    tool("first", EffectClass.PURE)
    goal = planned("first")
    checkpoint_acts.skip(goal.owner, goal.pk, steps(goal)[0].pk, "not needed")
    assert settle(goal).status == GoalStatus.FAILED


def test_skipping_the_checkpoint_in_hand_keeps_its_call_and_moves_on(planned, tool, meanwhile, settle):
    gate = Gate()
    tool("first", EffectClass.EXTERNAL, gate)
    second = tool("second", EffectClass.PURE)
    goal = planned("first", "second")

    def act():
        checkpoint_acts.skip(goal.owner, goal.pk, steps(goal)[0].pk, "never mind")
        gate.go_on.set()

    goal = settle(meanwhile(goal, gate.in_flight, act))
    assert goal.status == GoalStatus.COMPLETED
    assert [row.status for row in steps(goal)] == ["skipped", "completed"]
    assert ToolCall.objects.get(tool="first").status == "succeeded"
    assert len(second.keys) == 1
    assert rules.violations() == []


def test_skipping_a_question_withdraws_it_and_wakes_the_goal(submit, settle, tool):
    tool("first", EffectClass.PURE)
    goal = submit("Ask", verifier={"type": "artifact", "name": "step1"})
    step(goal, 0, "gather_info", {"key": "name", "prompt": "Who?"}, "name")
    step(goal, 1, "use_tool", {"tool": "first", "input": {}}, "step1")
    goal = settle(plan(goal))
    assert goal.waits_for == "question"
    checkpoint_acts.skip(goal.owner, goal.pk, steps(goal)[0].pk, "nobody knows")
    assert Question.objects.get().status == "withdrawn"
    assert settle(goal).status == GoalStatus.COMPLETED
    assert rules.violations() == []


# -- retry ------------------------------------------------------------------------------------------------------


def test_the_checkpoint_in_hand_begins_from_its_start(planned, tool, meanwhile, settle):
    gate = Gate()
    first = tool("first", EffectClass.PURE, gate)
    goal = planned("first")

    def act():
        checkpoint_acts.retry(goal.owner, goal.pk, steps(goal)[0].pk, "look again")
        gate.go_on.set()

    goal = settle(meanwhile(goal, gate.in_flight, act))
    assert goal.status == GoalStatus.COMPLETED
    assert (steps(goal)[0].attempts, len(first.keys)) == (2, 2)
    assert [e.payload["reason"] for e in goal.events.filter(kind="checkpoint.started")] == ["", "look again"]
    assert rules.violations() == []


def test_a_failed_checkpoint_is_worked_on_next_as_a_copy(endpoint, planned, tool, settle):
    first = tool("first", EffectClass.PURE)
    goal = planned("first", "first", "first")
    Checkpoint.objects.filter(goal=goal, position=0).update(
        status=CheckpointStatus.FAILED, finished_at=goal.created_at, failure="no"
    )
    Goal.objects.filter(pk=goal.pk).update(revise_reason="no")
    checkpoint_acts.retry(goal.owner, goal.pk, steps(goal)[0].pk)
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED
    rows = steps(goal)
    assert [(row.title, row.status) for row in rows] == [
        ("Step 0", "failed"),
        ("Step 0", "completed"),
        ("Step 1", "completed"),
        ("Step 2", "completed"),
    ]
    assert len(first.keys) == 3


# -- edit -------------------------------------------------------------------------------------------------------


def test_a_pending_checkpoint_is_edited_with_what_stood_there_before(endpoint, planned, tool, settle):
    tool("first", EffectClass.PURE, lambda given, _: given.number)
    goal = planned("first", "first")
    changes = {"title": "Second", "args": {"tool": "first", "input": {"number": 7}}}
    checkpoint_acts.edit(goal.owner, goal.pk, steps(goal)[1].pk, changes)
    told = goal.events.get(kind="checkpoint.edited").payload
    assert told["before"]["title"] == "Step 1"
    assert told["after"] == changes
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED
    assert ToolCall.objects.filter(goal=goal, request__input__number=7).exists()


def test_a_bad_edit_is_refused_with_all_its_errors_and_changes_nothing(planned, tool):
    tool("first", EffectClass.PURE)
    goal = planned("first", "first")
    row = steps(goal)[1]
    bad = {"args": {"tool": "first", "input": {"number": "@moon", "speed": 1}}, "tools": ["teleport"]}
    with pytest.raises(InvalidInput) as caught:
        checkpoint_acts.edit(goal.owner, goal.pk, row.pk, bad)
    assert all(word in str(caught.value) for word in ("teleport", "@moon", "speed"))
    for changes in (
        {"title": ""},
        {"title": "x" * 301},
        {"args": []},
        {"verifier": {}},
        {"status": "completed"},
        {},
        7,
    ):
        with pytest.raises(InvalidInput):
            checkpoint_acts.edit(goal.owner, goal.pk, row.pk, changes)
    now = steps(goal)[1]
    assert (now.title, now.args, now.tools) == (row.title, row.args, row.tools)
    assert not goal.events.filter(kind="checkpoint.edited").exists()


# -- whose, and when --------------------------------------------------------------------------------------------

ACTS = {
    "skip": lambda user, goal, row: checkpoint_acts.skip(user, goal, row, "why"),
    "retry": lambda user, goal, row: checkpoint_acts.retry(user, goal, row, "why"),
    "edit": lambda user, goal, row: checkpoint_acts.edit(user, goal, row, {"title": "New"}),
}


@pytest.mark.parametrize("name", ACTS)
def test_what_is_somebody_elses_or_over_is_left_as_it_is(planned, tool, settle, django_user_model, name):
    tool("first", EffectClass.PURE)
    goal, other = planned("first"), planned("first")
    stranger = django_user_model.objects.create_user("bob")
    act, row = ACTS[name], steps(goal)[0]
    for user, where, what in ((stranger, goal.pk, row.pk), (goal.owner, other.pk, row.pk), (goal.owner, goal.pk, "x")):
        with pytest.raises(NotFound):
            act(user, where, what)
    settle(goal)
    with pytest.raises(StaleGoal):
        act(goal.owner, goal.pk, row.pk)
    assert steps(goal)[0].status == "completed"


def test_two_people_skip_at_once_and_one_of_them_does(planned, tool, owner):
    tool("first", EffectClass.PURE)
    goal = planned("first", "first")
    row, told = steps(goal)[0], []

    def skip():
        from django.db import connection

        try:
            checkpoint_acts.skip(owner, goal.pk, row.pk, "why")
            told.append("skipped")
        except StaleGoal:
            told.append("stale")
        finally:
            connection.close()

    threads = [threading.Thread(target=skip) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == ["skipped", "stale", "stale", "stale"]
    assert goal.events.filter(kind="checkpoint.skipped").count() == 1
    assert rules.violations() == []
