"""What counts as done in a revised plan: what completed checkpoints made, and no failed one's."""

import pytest

from goals import answers
from goals.models import Checkpoint
from goals.states import EffectClass, GoalStatus
from goals.tools.base import ToolResult
from tests.goals.test_model_goals import DONE, MET, UNMET, plan, step
from tests.goals.test_trees import PLAN, child, children


def making(key, title="Work", **fields):
    return step(title, predicate="use_tool", args={"tool": "work", "input": {}}, evidence_key=key, **fields)


NEVER = {"type": "data", "path": "never.txt", "contains": "x"}


@pytest.fixture
def work(tool):
    return tool("work", EffectClass.PURE, lambda *_: ToolResult("made", "made"))


def test_evidence_of_a_failed_checkpoint_does_not_verify_its_successor_unheard(endpoint, submit, settle, work):
    endpoint.script.update(
        plan_checkpoints=[plan(making("report", verifier=NEVER))],
        revise_plan=[plan(making("report", "Another way"))],
        judge_outcome=MET,
    )
    goal = settle(submit(options={"checkpoint_attempts": 1}))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert [c.status for c in goal.checkpoints.order_by("position")] == ["failed", "completed"]
    assert len(work.keys) == 2


def test_nor_does_it_verify_a_child_of_its_successor(endpoint, submit, settle, work):
    parts = [child("make it", predicate="use_tool", args={"tool": "work", "input": {}}, evidence_key="report")]
    endpoint.script.update(
        plan_checkpoints=[plan(making("report", verifier=NEVER))],
        revise_plan=[plan(step("In parts", predicate="composite", operation=None))],
        atomize=PLAN,
        plan_subgoals=[children("AND", *parts)],
        judge_outcome=MET,
    )
    goal = settle(submit(options={"checkpoint_attempts": 1}))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert len(work.keys) == 2


def test_what_a_completed_checkpoint_made_is_real_for_the_revised_plan(endpoint, submit, settle, tool):
    """A plan that is sent whole again does not book twice."""
    booking = tool("work", EffectClass.EXTERNAL, lambda *_: ToolResult("booked", "booked"))
    endpoint.script.update(
        plan_checkpoints=[plan(making("booking", "Book"), step("Tell"))],
        act=DONE,
        revise_plan=[plan(making("booking", "Book"), step("Tell them"))],
        judge_outcome=[UNMET, MET, MET],
    )
    goal = settle(submit(options={"checkpoint_attempts": 1}))
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert len(booking.keys) == 1
    assert [c.status for c in goal.checkpoints.order_by("position")] == [
        "completed",
        "failed",
        "completed",
        "completed",
    ]


def test_but_what_did_not_pass_there_is_done_anew_in_its_next_attempt(endpoint, submit, settle, work):
    """Its own verifier said no to what the completed one had left."""
    endpoint.script.update(
        plan_checkpoints=[plan(making("report", "One"), step("Tell"))],
        act=DONE,
        revise_plan=[plan(making("report", "One again", verifier=NEVER)), plan(step("Last"))],
        judge_outcome=[UNMET, UNMET, MET, MET],
    )
    goal = settle(submit(options={"checkpoint_attempts": 2, "retries": 0}))
    again = Checkpoint.objects.get(goal=goal, title="One again")
    assert again.attempts == 2
    assert len(work.keys) == 2


def test_what_a_person_said_is_not_asked_again(endpoint, submit, settle, owner):
    ask = step("Ask", predicate="gather_info", args={"key": "colour", "prompt": "Which?"}, verifier=NEVER)
    again = step("Use it", predicate="gather_info", args={"key": "colour", "prompt": "Which?"})
    endpoint.script.update(plan_checkpoints=[plan(ask)], revise_plan=[plan(again)], judge_outcome=MET)
    goal = settle(submit(options={"checkpoint_attempts": 1}))
    answers.answer(owner, goal.questions.open().get().pk, "red")
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert goal.questions.count() == 1
