"""What a person asks for, or has mended, is done; it ends no goal and is not taken as done already."""

from goals import services
from goals.models import Verification
from goals.states import GoalStatus
from tests.goals.test_model_goals import DONE, MET, plan, step


def test_a_person_may_ask_for_another_plan_when_no_revision_is_left(endpoint, submit, settle, owner):
    endpoint.script.update(
        plan_checkpoints=[plan(step("First"), step("Second"))],
        act=DONE,
        judge_outcome=MET,
        revise_plan=[plan(step("By train"))],
    )
    goal = settle(submit(limits={"model_calls": 1}, options={"revisions": 0}))
    assert goal.paused_for == "budget"
    services.revise(owner, goal.pk, "take the train")
    services.raise_limits(owner, goal.pk, {"model_calls": 20})
    services.resume(owner, goal.pk)
    goal = settle(goal)
    assert (goal.status, goal.revision, goal.asked_revisions) == (GoalStatus.COMPLETED, 1, 1)
    done = [row.title for row in goal.checkpoints.filter(status="completed").order_by("position")]
    assert done == ["By train"]  # the first had not begun when the budget was used up


def test_a_broken_verifier_is_looked_at_again_before_any_money_is_spent(endpoint, submit, settle, owner, tmp_path):
    (tmp_path / "out.txt").mkdir()
    goal = settle(submit(verifier={"type": "data", "path": "out.txt", "contains": "done"}, workspace=str(tmp_path)))
    assert (goal.status, goal.paused_for) == (GoalStatus.PAUSED, "error")
    services.resume(owner, goal.pk)
    assert settle(goal).status == GoalStatus.PAUSED
    (tmp_path / "out.txt").rmdir()
    (tmp_path / "out.txt").write_text("done")
    services.resume(owner, goal.pk)
    assert settle(goal).status == GoalStatus.COMPLETED
    assert Verification.objects.filter(goal=goal).count() == 3
    assert endpoint.requests == []
