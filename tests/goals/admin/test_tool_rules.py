"""The tool policy in the console: what is in force for each tool, and rules that those who may configure set."""

import pytest
from django.contrib.admin.models import LogEntry

from goals import policy
from goals.models import ToolRule
from tests.goals.admin.conftest import console_of
from tests.goals.api.conftest import client_of, permitted

pytestmark = pytest.mark.django_db
LIST = "/admin/goals/toolrule/"
ASK = {"tool": "write_file", "risk": "", "goal": "", "permission": "ask", "note": "I want to see it"}


@pytest.fixture(autouse=True)
def forgetful():
    policy.rules.forget()
    yield
    policy.rules.forget()


def test_a_rule_is_set_changed_and_removed_in_the_name_of_who_did_it(console, root, goal):
    assert "the default for its risk" in console.get(LIST).content.decode()
    assert console.post(f"{LIST}add/", ASK).status_code == 302
    row = ToolRule.objects.get()
    assert (row.tool, row.permission, row.changed_by, row.note) == ("write_file", "ask", root, "I want to see it")
    page = console.get(LIST).content.decode()
    assert "the site&#x27;s rule for the tool write_file" in page
    tools = client_of(root).get("/api/tools/").json()["results"]
    assert next(tool["policy"] for tool in tools if tool["name"] == "write_file")["permission"] == "ask"
    assert console.post(f"{LIST}{row.pk}/change/", {"permission": "deny", "note": ""}).status_code == 302
    row.refresh_from_db()
    assert (row.permission, row.tool) == ("deny", "write_file")
    assert console.post(f"{LIST}{row.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not ToolRule.objects.exists()
    assert [entry.user for entry in LogEntry.objects.all()] == [root] * 3


def test_a_rule_of_one_goal_is_an_event_of_it(console, root, goal):
    console.post(f"{LIST}add/", {**ASK, "goal": str(goal.pk)})
    event = goal.events.last()
    assert (event.kind, event.actor) == ("goal.policy_changed", root)
    assert event.payload == {"tool": "write_file", "permission": "ask"}


@pytest.mark.parametrize("of_goal", [True, False])
@pytest.mark.parametrize("about", [{}, {"tool": "", "risk": "safe"}])
def test_a_second_rule_for_the_same_is_refused_and_leads_to_the_first(console, goal, of_goal, about):
    sent = ASK | about | {"goal": str(goal.pk) if of_goal else ""}
    assert console.post(f"{LIST}add/", sent).status_code == 302
    page = console.post(f"{LIST}add/", sent | {"permission": "deny"}).content.decode()
    assert "There is a rule for it already: change that one." in page
    assert "onstraint" not in page
    assert ToolRule.objects.get().permission == "ask"


@pytest.mark.parametrize(
    "wrong", [{"risk": "safe"}, {"tool": ""}, {"tool": "no_such"}, {"permission": ""}, {"goal": "x"}]
)
def test_a_wrong_rule_is_refused_on_its_form(console, wrong):
    refused = console.post(f"{LIST}add/", ASK | wrong)
    assert refused.status_code == 200
    assert "onstraint" not in refused.content.decode()
    assert not ToolRule.objects.exists()


def test_a_rule_is_for_a_tool_or_a_risk(console):
    page = console.post(f"{LIST}add/", ASK | {"risk": "safe"}).content.decode()
    assert "Name either one tool or a risk." in page


def test_who_sets_rules_sees_and_makes_none_of_somebody_elses_goal(staff, goal):
    desk = console_of(permitted(staff, "configure"))
    refused = desk.post(f"{LIST}add/", ASK | {"goal": str(goal.pk)})
    assert (refused.status_code, ToolRule.objects.count()) == (200, 0)
    theirs = ToolRule.objects.create(tool="write_file", permission="ask", goal=goal)
    ToolRule.objects.create(tool="read_file", permission="ask")
    assert [row.tool for row in desk.get(LIST).context["cl"].result_list] == ["read_file"]
    assert desk.get(f"{LIST}{theirs.pk}/change/").status_code == 302


def test_an_operator_looks_and_others_do_not(staff, operator):
    row = ToolRule.objects.create(tool="write_file", permission="ask")
    operator.is_staff = True
    operator.save()
    watcher = console_of(operator)
    assert watcher.get(LIST).status_code == 200
    assert watcher.post(f"{LIST}{row.pk}/change/", {"permission": "auto"}).status_code == 403
    assert watcher.post(f"{LIST}add/", ASK).status_code == 403
    assert console_of(staff).get(LIST).status_code == 403
    assert console_of(permitted(staff, "configure")).get(LIST).status_code == 200
