"""Who may say what decides, and what its verdict cost."""

import pytest

from goals import services
from goals.models import Goal, Verification
from goals.states import GoalStatus
from tests.goals.test_model_goals import DONE, MET, plan, step

ON_HOST = {"kind": "verifier", "verifier": {"type": "command", "command": "true"}}
EXPRESSION = {"kind": "verifier", "verifier": {"type": "data", "path": "a.json", "expr": "True"}}


@pytest.mark.parametrize("condition", [ON_HOST, EXPRESSION], ids=["command", "expr"])
def test_a_models_condition_may_run_nothing_on_the_host(endpoint, submit, settle, condition):
    bad = step(done_when=[condition])
    endpoint.script.update(plan_checkpoints=[plan(bad), plan(step())], act=[DONE], judge_outcome=MET)
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED
    assert "use_host_verifiers" in endpoint.named("plan_checkpoints")[1]["body"]["messages"][-1]["content"]
    assert not goal.toolcall_set.filter(tool="verifier").exists()


@pytest.mark.parametrize("condition", [ON_HOST, EXPRESSION], ids=["command", "expr"])
def test_nor_may_one_of_a_subgoal(endpoint, submit, settle, condition):
    child = {"gloss": "Do it", "predicate": "execute", "operation": "write", "done_when": [condition]}
    children = {"reply": {"decomposition": "AND", "subgoals": [child], "reasoning": "so"}}
    endpoint.script.update(
        plan_checkpoints=[plan(step(predicate="composite", operation=None))],
        atomize={"reply": {"decision": "plan", "operation": None, "reasoning": "big"}},
        plan_subgoals=children,
        judge_outcome=MET,
        revise_plan={"reply": {"checkpoints": [], "reasoning": "no"}},
    )
    goal = settle(submit(options={"retries": 0, "checkpoint_attempts": 1}))
    assert "use_host_verifiers" in endpoint.named("plan_subgoals")[1]["body"]["messages"][-1]["content"]
    assert not goal.toolcall_set.filter(tool="verifier").exists()


def test_a_verification_says_what_it_cost(endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=[plan(step())], act=[DONE], judge_outcome=MET)
    settle(submit())
    assert all(one.cost_usd > 0 for one in Verification.objects.all())


def test_a_fork_with_another_wish_is_not_held_to_the_verifier_of_the_old_procedure(
    endpoint, submit, settle, library, tmp_path
):
    (tmp_path / "a.py").write_text("def one():\n    pass\n")
    goal = settle(submit("Write an inventory of the Python modules in this folder", workspace=str(tmp_path)))
    assert (goal.status, goal.verifier) == (GoalStatus.COMPLETED, goal.sop_version.verifier)
    assert goal.verifier
    same = services.fork(goal.owner, goal.pk)
    other = services.fork(goal.owner, goal.pk, objective="Write a poem")
    assert same.verifier == goal.verifier
    assert (other.verifier, other.verifier_digest) == (None, "")


def test_a_fork_keeps_the_verifier_that_its_owner_set(submit, owner):
    goal = submit("One", verifier={"type": "artifact", "name": "it"})
    services.cancel(owner, goal.pk)
    twin = services.fork(owner, goal.pk, objective="Two")
    assert twin.verifier_digest == Goal.objects.get(pk=goal.pk).verifier_digest != ""
