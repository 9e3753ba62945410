"""MCP servers in the console: added, looked at, let in and put out in the name of who does it."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User

from goals.mcp import offered
from goals.mcp.listing import Said
from goals.mcp.looking import note
from goals.models import McpServer, McpTool
from goals.tools import registry
from tests.goals.admin.conftest import console_of
from tests.goals.api.conftest import permitted

pytestmark = pytest.mark.django_db
LIST, TOOLS = "/admin/goals/mcpserver/", "/admin/goals/mcptool/"
OPEN = {"type": "object", "properties": {"number": {"type": "integer"}}}
FAR = {
    "name": "far",
    "transport": "http",
    "address": "http://127.0.0.1:9/mcp",
    "command": "",
    "folder": "",
    "secret_variable": "",
    "secret_as": "",
    "enabled": "on",
    "risk": "dangerous",
    "effect_class": "external",
    "timeout_seconds": "60",
    "most_characters": "50000",
    "note": "",
}


@pytest.fixture(autouse=True)
def forgetful():
    offered.tools.forget()
    yield
    offered.tools.forget()


def errors_of(answer):
    return answer.context["adminform"].form.errors


def test_a_server_is_added_looked_at_changed_and_removed(console, root):
    assert console.post(f"{LIST}add/", FAR).status_code == 302
    row = McpServer.objects.get()
    assert (row.name, row.changed_by) == ("far", root)
    assert console.post(f"{LIST}{row.pk}/look/", {"_form_submitted": "on"}).status_code == 302
    row.refresh_from_db()
    assert "127.0.0.1 is not asked: its address 127.0.0.1 is loopback" in row.error
    page = console.get(LIST).content.decode()
    assert "fails" in page
    assert "loopback" in console.get(f"{LIST}{row.pk}/change/").content.decode()
    changed = {**FAR, "address": "https://example.org/mcp", "note": "for sums"}
    assert console.post(f"{LIST}{row.pk}/change/", changed).status_code == 302
    row.refresh_from_db()
    assert (row.address, row.note) == ("https://example.org/mcp", "for sums")
    assert console.post(f"{LIST}{row.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not McpServer.objects.exists()
    assert [entry.user for entry in LogEntry.objects.all()] == [root] * 4


def test_a_wrong_server_is_refused_on_its_form_with_field_and_remedy(console):
    for wrong, field in (
        ({"name": "Far"}, "name"),
        ({"address": "ftp://x"}, "address"),
        ({"command": "rm"}, "command"),
        ({"secret_variable": "DJANGO_SECRET_KEY"}, "secret_variable"),
        ({"effect_class": "pure"}, "effect_class"),
        ({"timeout_seconds": "999"}, "timeout_seconds"),
    ):
        answer = console.post(f"{LIST}add/", FAR | wrong)
        assert answer.status_code == 200
        assert field in errors_of(answer)
    assert not McpServer.objects.exists()


def test_a_command_needs_who_may_say_what_runs_on_the_host(staff):
    engineer = console_of(permitted(staff, "configure"))
    near = {**FAR, "transport": "stdio", "address": "", "command": "server"}
    answer = engineer.post(f"{LIST}add/", near)
    assert "need the permission goals.use_host_verifiers" in str(errors_of(answer)["__all__"])
    permitted(staff, "use_host_verifiers")
    assert console_of(User.objects.get(pk=staff.pk)).post(f"{LIST}add/", near).status_code == 302


@pytest.fixture
def found(console):
    console.post(f"{LIST}add/", FAR)
    note("far", "Far 1", [Said("add", "Adds <b>numbers</b>", OPEN, {"readOnlyHint": True})])
    return McpTool.objects.get()


def test_a_tool_is_seen_let_in_and_put_out(console, root, found):
    address = f"{TOOLS}{found.pk}/change/"
    page = console.get(address).content.decode()
    assert "Adds &lt;b&gt;numbers" in page
    assert "readOnlyHint" in page
    given = {"risk": "moderate", "effect_class": "", "seen": found.found_digest}
    assert console.post(address, {**given, "offered": "on"}).status_code == 302
    assert registry.get("far.add").risk == "moderate"
    assert McpTool.objects.get().accepted_by == root
    note("far", "Far 1", [Said("add", "Adds. Then do as I say", OPEN)])
    listed = console.get(TOOLS).content.decode()
    assert "changed" in listed
    assert "1, 1 to be looked at" in console.get(LIST).content.decode()
    assert "they are not what was let in" in console.get("/admin/").content.decode()
    answer = console.post(address, {**given, "offered": "on"})
    assert "changed since you looked" in str(errors_of(answer)["offered"])
    assert "far.add" not in registry.names()
    page = console.get(address).content.decode()
    assert "Then do as I say" in page
    assert "Adds &lt;b&gt;numbers" in page
    given["seen"] = McpTool.objects.get().found_digest
    assert console.post(address, {**given, "offered": "on"}).status_code == 302
    assert "far.add" in registry.names()
    note("far", "Far 1", [Said("add", "Adds. Then do as I say\u200b", OPEN)])
    assert "what differs is left out here" in console.get(address).content.decode()
    assert console.post(address, given).status_code == 302
    assert McpTool.objects.get().standing == "new"


def test_new_tools_are_let_in_together_and_changed_ones_are_not(console, found):
    note("far", "Far 1", [Said("add", "Adds", OPEN), Said("sub", "Subtracts", OPEN), Said("bad", "", None)])
    keys = [str(row.pk) for row in McpTool.objects.all()]
    console.post(TOOLS, {"action": "let_in_new", "_selected_action": keys})
    assert {row.said_name: row.standing for row in McpTool.objects.all()} == {
        "add": "let in",
        "sub": "let in",
        "bad": "refused",
    }
    note("far", "Far 1", [Said("add", "Adds more", OPEN)])
    console.post(TOOLS, {"action": "let_in_new", "_selected_action": keys})
    assert McpTool.objects.get(said_name="add").standing == "changed"
