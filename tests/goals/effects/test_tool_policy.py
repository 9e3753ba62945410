"""What operators say of tools holds: for the planner, for the work, and for what waits for an approval."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from goals import answers, policy, services, tool_policy
from goals.chat import talking
from goals.chat.diffs import change_of
from goals.exceptions import InvalidInput, NotAllowed, NotFound
from goals.models import Goal, Message, ToolRule
from goals.states import EffectClass, GoalStatus, Permission
from goals.tools import registry
from goals.tools.base import ProbeResult
from goals.tools.errors import OutcomeUnknown
from goals.transitions import writing
from tests.goals.api.conftest import permitted
from tests.goals.effects.work import only_call
from tests.goals.test_model_goals import DONE, MET, plan, step

WRITE = {"name": "write_file", "arguments": {"path": "a.txt", "content": "new\n"}}
STUCK = {"reply": {"checkpoints": [], "reasoning": "no other way"}}


def last(goal, kind):
    return goal.events.filter(kind=kind).last()


def told(request):
    return "\n".join(str(message["content"]) for message in request["body"]["messages"])


# -- deny -------------------------------------------------------------------------------------------------------


def test_a_denied_tool_is_offered_to_nobody_and_a_plan_with_it_is_refused(endpoint, submit, settle, rule):
    rule("deny", tool="list_files")
    wrong = step("List", predicate="use_tool", args={"tool": "list_files", "input": {}}, evidence_key="files")
    endpoint.script.update(plan_checkpoints=[plan(wrong), plan(step())], act=[DONE], judge_outcome=MET)
    goal = settle(submit())
    assert goal.status == GoalStatus.COMPLETED
    first, second, act, *_ = endpoint.requests
    assert "list_files" not in told(first)
    assert "search_files" in told(first)
    assert "the tool policy denies 'list_files'; there are " in told(second)
    assert "list_files" not in [tool["function"]["name"] for tool in act["body"]["tools"]]
    assert "search_files" in [tool["function"]["name"] for tool in act["body"]["tools"]]


def test_a_step_whose_tool_was_denied_after_the_plan_is_blocked_and_says_so(planned, tool, settle, rule):
    used = tool("later", EffectClass.PURE)
    goal = planned("later", options={"revisions": 0, "retries": 0})
    rule("deny", tool="later", goal=goal)
    goal = settle(goal)
    assert "The tool policy denies later to this goal." in goal.reason
    assert last(goal, "subgoal.blocked").payload["reason"] == "The tool policy denies later to this goal."
    assert used.keys == []
    ToolRule.objects.all().delete()
    policy.rules.forget()
    services.resume(goal.owner, goal.pk)
    assert settle(goal).status == GoalStatus.COMPLETED


def test_a_lost_call_is_still_found_out_and_not_made_again_once_its_tool_is_denied(planned, tool, rule, settle):
    def lose(*_):
        raise OutcomeUnknown("cut")

    booking = tool("book", EffectClass.EXTERNAL, lose)
    goal = settle(planned("book", options={"revisions": 0, "retries": 0, "checkpoint_attempts": 1}))
    assert only_call(goal).status == "unknown"
    rule("deny", tool="book", goal=goal)
    booking.knows = lambda _: ProbeResult(False)
    with writing(goal.pk) as writer:
        answers.withdraw(writer, goal.questions.open().get(), "it is looked for again")
    goal = settle(goal)
    assert (len(booking.keys), only_call(goal).status) == (1, "failed")
    assert "denies book" in last(goal, "subgoal.blocked").payload["reason"]


def test_a_procedure_that_calls_a_denied_tool_is_not_followed(library, submit, settle, rule):
    rule("deny", tool="render_report")
    goal = settle(submit("Write an inventory", sop="python-inventory"))
    assert goal.status == GoalStatus.FAILED
    assert "the tool policy denies render_report to this goal" in goal.reason


def test_the_chat_offers_what_is_simply_allowed(rule, transactional_db):
    message = Message(content="hello")
    assert talking.offered_for(message) == talking.OFFERED
    rule("ask", tool="goal_create")
    rule("deny", tool="goal_manage")
    assert talking.offered_for(message) == ("goal_status",)


# -- ask --------------------------------------------------------------------------------------------------------


@pytest.fixture
def asked(endpoint, submit, settle, tmp_path, rule):
    """A goal that waits for the approval of writing a file, by the site's rule."""
    (tmp_path / "a.txt").write_text("old\n")
    written = rule("ask", tool="write_file")
    endpoint.script.update(
        plan_checkpoints=[plan(step())],
        revise_plan=STUCK,
        act={"tool_calls": [WRITE], "then": DONE},
        judge_outcome=MET,
    )
    goal = settle(submit(workspace=str(tmp_path), options={"revisions": 0}))
    assert goal.waits_for == "question"
    return goal, goal.questions.open().get(), written


def test_a_tool_that_never_asked_asks_by_a_rule_and_shows_what_it_would_change(asked, settle, tmp_path):
    goal, question, _ = asked
    change = change_of(question)
    assert [(line.kind, line.text) for line in change.lines if line.kind in {"add", "del"}] == [
        ("del", "old"),
        ("add", "new"),
    ]
    assert (tmp_path / "a.txt").read_text() == "old\n"
    answers.answer(goal.owner, question.pk, "yes")
    assert settle(goal).status == GoalStatus.COMPLETED
    assert (tmp_path / "a.txt").read_text() == "new\n"


def test_a_question_that_no_rule_asks_any_more_is_withdrawn_and_its_goal_goes_on(asked, settle, configurer, tmp_path):
    goal, question, written = asked
    tool_policy.remove_rule(configurer, written.pk)
    question.refresh_from_db()
    assert question.status == "withdrawn"
    withdrawn = last(goal, "question.withdrawn")
    assert (withdrawn.actor, "asks for no approval" in withdrawn.payload["reason"]) == (configurer, True)
    assert settle(goal).status == GoalStatus.COMPLETED
    assert (tmp_path / "a.txt").read_text() == "new\n"


def test_a_question_about_a_tool_that_is_denied_now_is_withdrawn_and_the_model_is_told(asked, settle, rule, tmp_path):
    goal, question, _ = asked
    rule("deny", tool="write_file", goal=goal)
    question.refresh_from_db()
    assert question.status == "withdrawn"
    settle(goal)
    assert (tmp_path / "a.txt").read_text() == "old\n"
    assert last(goal, "goal.policy_changed").payload == {"tool": "write_file", "permission": "deny"}


def test_a_question_that_is_still_to_be_asked_stays(asked, rule):
    _, question, _ = asked
    rule("auto", tool="edit_file")
    rule("ask", risk="moderate")
    question.refresh_from_db()
    assert question.status == "open"


def test_what_was_approved_of_beforehand_asks_only_by_a_rule_of_its_goal(submit, rule):
    goal, writing = submit(auto_approve=True), registry.get("write_file")
    rule("ask", tool="write_file")
    assert policy.permission(writing, goal) is Permission.AUTO
    rule("ask", tool="write_file", goal=goal)
    assert policy.permission(writing, goal) is Permission.ASK


def test_a_rule_of_a_goal_holds_for_the_goals_that_it_makes(submit, rule):
    goal = submit()
    made = submit(parent=goal)
    rule("deny", tool="write_file", goal=goal)
    assert policy.permission(registry.get("write_file"), made) is Permission.DENY
    assert policy.permission(registry.get("write_file"), submit()) is Permission.AUTO


def test_a_rule_of_a_goal_in_between_holds_below_it_and_for_its_forks(owner, submit, rule, django_assert_num_queries):
    tool, top = registry.get("write_file"), submit()
    between = submit(parent=top)
    below, fork = submit(parent=submit(parent=between)), services.fork(owner, between.pk)
    rule("deny", tool="write_file", goal=between)
    assert policy.permission(tool, top) is Permission.AUTO
    assert {policy.permission(tool, goal) for goal in (between, below, fork)} == {Permission.DENY}
    with django_assert_num_queries(0):  # where a goal comes from never changes
        assert policy.permission(tool, below) is Permission.DENY


# -- who sets rules, and what they cost -------------------------------------------------------------------------


def test_rules_are_looked_at_once_a_second_at_most(submit, rule):
    goal, tools = submit(), registry.all_tools()
    with CaptureQueriesContext(
        connection,
    ) as asked:
        for tool in tools * 3:
            policy.permission(tool, goal)
    assert len(asked) == 1


def test_one_place_has_one_rule_and_the_latest_counts(rule):
    rule("ask", tool="write_file")
    rule("deny", tool="write_file")
    assert [row.permission for row in ToolRule.objects.all()] == ["deny"]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"permission": "maybe", "tool": "write_file"}, "permission"),
        ({"permission": "ask", "tool": "no_such"}, "tool"),
        ({"permission": "ask", "tool": "write_file", "risk": "safe"}, "tool"),
        ({"permission": "ask"}, "tool"),
        ({"permission": "ask", "risk": "awful"}, "risk"),
    ],
)
def test_a_wrong_rule_is_refused_by_name(configurer, given, field):
    with pytest.raises(InvalidInput) as refused:
        tool_policy.set_rule(configurer, **given)
    assert list(refused.value.errors) == [field]
    assert not ToolRule.objects.exists()


def test_only_who_may_configure_sets_and_removes_rules(owner, submit, rule, configurer):
    made = rule("ask", tool="write_file")
    with pytest.raises(NotAllowed):
        tool_policy.set_rule(owner, permission="auto", tool="write_file", goal_id=submit().pk)
    with pytest.raises(NotAllowed):
        tool_policy.remove_rule(owner, made.pk)
    with pytest.raises(NotFound):
        tool_policy.remove_rule(configurer, "no-id")
    assert Goal.objects.get().tool_rules.count() == 0


def test_who_may_configure_sets_and_removes_no_rule_of_somebody_elses_goal(submit, rule, django_user_model):
    ed = permitted(django_user_model.objects.create_user("ed"), "configure")
    goal = submit()
    made = rule("ask", tool="write_file", goal=goal)
    with pytest.raises(NotFound):
        tool_policy.set_rule(ed, permission="auto", tool="write_file", goal_id=goal.pk)
    with pytest.raises(NotFound):
        tool_policy.remove_rule(ed, made.pk)
    assert [row.permission for row in goal.tool_rules.all()] == [Permission.ASK]
    assert tool_policy.set_rule(ed, permission="deny", tool="read_file").goal is None
