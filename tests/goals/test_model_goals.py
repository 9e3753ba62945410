"""Goals that a model plans and works on, against an endpoint that speaks the protocol over real HTTP."""

import json

from goals import events
from goals.models import Checkpoint, ModelCall, ToolCall, Verification
from goals.states import GoalStatus, Outcome


def step(title="Look around", predicate="execute", **fields):
    draft = {
        "title": title,
        "description": f"{title} in the workspace",
        "success_criteria": f"{title}: done",
        "predicate": predicate,
        "args": {},
        "operation": "write" if predicate == "execute" else None,
        "tools": [],
        "evidence_key": None,
        "done_when": [],
        "verifier": None,
    }
    return {**draft, **fields}


def plan(*steps):
    return {"reply": {"checkpoints": list(steps), "reasoning": "because"}}


DONE = {"reply": {"status": "done", "result": "It is done.", "outputs": []}}
MET = {"reply": {"met": True, "score": 1.0, "reason": "seen", "evidence": "tool calls"}}
UNMET = {"reply": {"met": False, "score": 0.2, "reason": "nothing was written", "evidence": ""}}


def test_a_goal_is_planned_worked_on_judged_and_completed(endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=[plan(step())], act=[DONE], judge_outcome=MET)
    goal = settle(submit())
    assert (goal.status, goal.outcome) == (GoalStatus.COMPLETED, Outcome.ACHIEVED)
    assert goal.proof.met
    assert goal.proof.digest == goal.verifier_digest
    assert [r["name"] for r in endpoint.requests] == ["plan_checkpoints", "act", "judge_outcome", "judge_outcome"]
    assert events.broken_at(goal.pk) is None
    budget = {row.resource: row for row in goal.budgets.all()}
    assert budget["model_calls"].used == 4
    assert budget["cost_usd"].used == sum(call.cost_usd for call in ModelCall.objects.filter(goal=goal)) > 0
    assert all(row.reserved == 0 for row in budget.values())


def test_the_acting_loop_calls_tools_and_names_their_outputs(endpoint, submit, settle, tmp_path):
    (tmp_path / "a.txt").write_text("hello")
    call = {
        "name": "read_file",
        "arguments": {
            "path": "a.txt",
            "outputs": [{"name": "greeting", "type": "text", "description": "what a.txt says"}],
        },
    }
    endpoint.script.update(plan_checkpoints=[plan(step())], act={"tool_calls": [call], "then": DONE}, judge_outcome=MET)
    goal = settle(submit(workspace=str(tmp_path)))
    assert goal.status == GoalStatus.COMPLETED
    assert ToolCall.objects.get(goal=goal).status == "succeeded"
    told = endpoint.named("act")[1]["body"]["messages"][-1]
    assert told["role"] == "tool"
    assert "hello" in told["content"]
    assert "@greeting" in told["content"]


def test_a_wrong_argument_goes_back_to_the_model_as_an_error(endpoint, submit, settle):
    wrong = {"tool_calls": [{"name": "read_file", "arguments": {"file": "x"}}], "then": DONE}
    endpoint.script.update(plan_checkpoints=[plan(step())], act=wrong, judge_outcome=MET)
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED
    assert "error" in endpoint.named("act")[1]["body"]["messages"][-1]["content"]


def test_a_plan_that_cannot_be_followed_is_asked_for_again_with_its_errors(endpoint, submit, settle):
    bad = step(predicate="use_tool", args={"tool": "teleport", "input": {"to": "@moon"}})
    endpoint.script.update(plan_checkpoints=[plan(bad), plan(step())], act=[DONE], judge_outcome=MET)
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED
    told = endpoint.named("plan_checkpoints")[1]["body"]["messages"][-1]["content"]
    assert "teleport" in told
    assert "@moon" in told


def test_a_plan_that_stays_bad_fails_the_goal_with_the_list_of_errors(endpoint, submit, settle):
    bad = step(predicate="use_tool", args={"tool": "teleport", "input": {}})
    endpoint.script.update(plan_checkpoints=plan(bad))
    goal = settle(submit())
    assert (goal.status, goal.outcome) == (GoalStatus.FAILED, Outcome.ERROR)
    assert "teleport" in goal.reason
    assert len(endpoint.named("plan_checkpoints")) == 3


def test_malformed_json_is_repaired_and_each_try_is_paid_and_recorded(endpoint, submit, settle):
    endpoint.script.update(
        plan_checkpoints=[{"text": "{not json"}, plan(step())], act=[{"text": "hm"}, DONE], judge_outcome=MET
    )
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED
    assert ModelCall.objects.filter(goal=goal, purpose="plan_checkpoints", status="succeeded").count() == 2
    assert goal.budgets.get(resource="model_calls").used == len(endpoint.requests)


def test_a_checkpoint_that_a_judge_refuses_is_tried_again_with_the_reason(endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=[plan(step())], act=DONE, judge_outcome=[UNMET, MET, MET])
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED
    checkpoint = Checkpoint.objects.get(goal=goal)
    assert checkpoint.attempts == 2
    assert "nothing was written" in json.dumps(endpoint.named("act")[1]["body"])


def test_a_checkpoint_that_never_passes_leads_to_another_plan_and_completed_work_stays(endpoint, submit, settle):
    endpoint.script.update(
        plan_checkpoints=[plan(step("First"), step("Second"))],
        act=DONE,
        judge_outcome=[MET, UNMET, UNMET, UNMET, MET, MET],
        revise_plan=[plan(step("Another way"))],
    )
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED
    rows = [(row.title, row.status) for row in goal.checkpoints.order_by("position")]
    assert rows == [("First", "completed"), ("Second", "failed"), ("Another way", "completed")]
    assert goal.revision == 1


def test_no_other_way_is_honoured_only_after_the_verifier_has_run_once_more(endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=[plan(step())], act=DONE, judge_outcome=UNMET, revise_plan=plan())
    goal = settle(submit())
    assert (goal.status, goal.outcome) == (GoalStatus.FAILED, Outcome.UNACHIEVABLE)
    assert Verification.objects.filter(goal=goal, checkpoint=None, met=False).exists()


def test_the_same_failure_three_times_is_unachievable(endpoint, submit, settle, tmp_path):
    verifier = {"type": "data", "path": "out.txt", "contains": "done"}
    endpoint.script.update(plan_checkpoints=plan(step()), act=DONE, judge_outcome=MET)
    goal = settle(submit(verifier=verifier, workspace=str(tmp_path)))
    assert (goal.status, goal.outcome) == (GoalStatus.FAILED, Outcome.UNACHIEVABLE)
    assert goal.iteration == 3
    assert "3 times in a row" in goal.reason


def test_a_goal_that_is_met_already_costs_nothing(endpoint, submit, settle, tmp_path):
    (tmp_path / "out.txt").write_text("done")
    goal = settle(submit(verifier={"type": "data", "path": "out.txt", "contains": "done"}, workspace=str(tmp_path)))
    assert goal.status == GoalStatus.COMPLETED
    assert endpoint.requests == []


def test_an_endpoint_that_is_down_pauses_the_goal_and_resuming_goes_on(endpoint, submit, settle, owner, monkeypatch):
    from goals import retry, services

    monkeypatch.setattr(retry, "BASE_SECONDS", 0.01)
    failing = [{"status": 500}] * 9
    endpoint.script.update(plan_checkpoints=[*failing, plan(step())], act=DONE, judge_outcome=MET)
    goal = settle(submit())
    assert (goal.status, goal.paused_for) == (GoalStatus.PAUSED, "error")
    services.resume(owner, goal.pk)
    endpoint.script["plan_checkpoints"] = plan(step())
    assert settle(goal).status == GoalStatus.COMPLETED


def test_a_budget_stop_pauses_and_a_raised_limit_goes_on_where_it_stood(endpoint, submit, settle, owner):
    from goals import services

    endpoint.script.update(plan_checkpoints=[plan(step())], act=DONE, judge_outcome=MET)
    goal = settle(submit(limits={"model_calls": 2}))
    assert (goal.status, goal.paused_for) == (GoalStatus.PAUSED, "budget")
    assert len(endpoint.requests) == 2
    services.raise_limits(owner, goal.pk, {"model_calls": "+2"})
    services.resume(owner, goal.pk)
    goal = settle(goal)
    assert goal.status == GoalStatus.COMPLETED
    assert len(endpoint.requests) == 4


def test_steering_enters_the_next_prompt(endpoint, submit, settle, owner):
    from goals import services

    endpoint.script.update(plan_checkpoints=[plan(step())], act=DONE, judge_outcome=MET)
    goal = submit()
    services.steer(owner, goal.pk, "write it in French")
    settle(goal)
    assert "write it in French" in json.dumps(endpoint.named("act")[0]["body"])


def test_a_model_that_knows_no_plan_is_believed_only_after_the_verifier_has_run(endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints=plan(), judge_outcome=UNMET)
    goal = settle(submit())
    assert (goal.status, goal.outcome) == (GoalStatus.FAILED, Outcome.UNACHIEVABLE)
    assert Verification.objects.filter(goal=goal, met=False).count() == 1


def test_a_defect_in_the_driver_pauses_the_goal_with_its_traceback(endpoint, submit, settle, monkeypatch):
    from goals import loop

    def broken(*_):
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(loop, "settle", broken)
    goal = settle(submit())
    assert (goal.status, goal.paused_for) == (GoalStatus.PAUSED, "error")
    assert "ZeroDivisionError" in goal.reason


def test_what_a_model_says_is_storable_whatever_it_says(endpoint, submit, settle):
    odd = "a\\u0000b\\ud800c"
    done = {
        "text": '{"status": "done", "result": "' + odd + '", "outputs": [{"name": "x", "type": "data", '
        '"description": "' + odd + '", "purpose": "", "value": {"' + odd + '": "' + odd + '"}}]}'
    }
    met = {"text": '{"met": true, "score": 1, "reason": "' + odd + '", "evidence": "' + odd + '"}'}
    steps = plan(step(odd.encode().decode("unicode_escape", "surrogatepass")))
    endpoint.script.update(plan_checkpoints=[steps], act=[done], judge_outcome=met)
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert Checkpoint.objects.get(goal=goal).result_summary == "abc"


def test_a_plan_that_cannot_be_read_is_paid_for_three_times_and_no_more(endpoint, submit, settle):
    endpoint.script.update(plan_checkpoints={"text": "Here is your plan!"})
    goal = settle(submit())
    assert (goal.status, goal.paused_for) == (GoalStatus.PAUSED, "error")
    assert "could not be read after 3 tries" in goal.reason
    assert len(endpoint.named("plan_checkpoints")) == 3
