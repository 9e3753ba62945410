"""What people do to servers: held to rules that name field and remedy, and to who may do it."""

import pytest
from django.contrib.auth.models import Permission, User

from goals import tool_policy
from goals.exceptions import InvalidInput, NotAllowed, NotFound, StaleGoal
from goals.mcp import acts, offered
from goals.mcp.listing import Said
from goals.mcp.looking import note
from goals.models import McpServer, McpTool
from goals.tools import registry

pytestmark = pytest.mark.django_db
OPEN = {"type": "object", "properties": {}}
HTTP = {"name": "far", "transport": "http", "address": "https://example.org/mcp"}
STDIO = {"name": "near", "transport": "stdio", "command": "python server.py"}


@pytest.fixture(autouse=True)
def forgetful():
    offered.tools.forget()
    yield
    offered.tools.forget()


@pytest.fixture
def root(db):
    return User.objects.create_superuser("root")


@pytest.fixture
def engineer(db):
    """Somebody with `goals.configure` and no more."""
    made = User.objects.create_user("eve")
    made.user_permissions.add(Permission.objects.get(codename="configure"))
    return made


@pytest.fixture
def server(root):
    row = acts.save(root, HTTP)
    note("far", "Far 1", [Said("add", "Adds", OPEN)])
    return row


def tool(name: str = "far.add") -> McpTool:
    return McpTool.objects.get(name=name)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": "Far"}, "name"),
        ({"name": "a.b"}, "name"),
        ({"name": "a_b"}, "name"),
        ({"name": ""}, "name"),
        ({"transport": "carrier pigeon"}, "transport"),
        ({"address": ""}, "address"),
        ({"address": "ftp://example.org"}, "address"),
        ({"address": "https://user:word@example.org"}, "address"),
        ({"address": "https://exa mple.org"}, "address"),
        ({"command": "rm"}, "command"),
        ({"folder": "/tmp"}, "folder"),
        ({"secret_variable": "DJANGO_SECRET_KEY"}, "secret_variable"),
        ({"secret_variable": "GOALSITE_MCP_"}, "secret_variable"),
        ({"secret_as": "X Key"}, "secret_as"),
        ({"secret_as": "Host"}, "secret_as"),
        ({"risk": "none"}, "risk"),
        ({"effect_class": "pure"}, "effect_class"),
        ({"timeout_seconds": 0}, "timeout_seconds"),
        ({"timeout_seconds": 121}, "timeout_seconds"),
        ({"timeout_seconds": True}, "timeout_seconds"),
        ({"most_characters": 999}, "most_characters"),
        ({"note": "x" * 501}, "note"),
        ({"note": "\x00"}, "note"),
        ({"color": "red"}, "color"),
    ],
)
def test_a_wrong_field_of_a_server_over_http_is_named(root, wrong, field):
    with pytest.raises(InvalidInput) as caught:
        acts.save(root, HTTP | wrong)
    assert field in caught.value.errors
    assert not McpServer.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"command": ""}, "command"),
        ({"command": "say 'it"}, "command"),
        ({"command": "a\nb"}, "command"),
        ({"address": "https://example.org"}, "address"),
        ({"folder": "here"}, "folder"),
        ({"folder": "/"}, "folder"),
        ({"folder": "/no/such/folder"}, "folder"),
        ({"secret_as": "X-Key"}, "secret_as"),
    ],
)
def test_a_wrong_field_of_a_command_is_named(root, wrong, field):
    with pytest.raises(InvalidInput) as caught:
        acts.save(root, STDIO | wrong)
    assert list(caught.value.errors) == [field]


def test_the_folder_of_a_command_has_nothing_of_the_sites_data(root, settings, tmp_path):
    settings.GOALSITE_DATA_DIR = tmp_path / "site" / "data"
    settings.GOALSITE_DATA_DIR.mkdir(parents=True)
    (tmp_path / "site" / "data" / "inner").mkdir()
    for folder in ("site", "site/data", "site/data/inner"):
        with pytest.raises(InvalidInput, match="data"):
            acts.save(root, STDIO | {"folder": str(tmp_path / folder)})


def test_a_name_is_taken_once_and_stays(root, server):
    with pytest.raises(InvalidInput, match="already"):
        acts.save(root, HTTP)
    with pytest.raises(InvalidInput, match="stays as it is"):
        acts.save(root, {"name": "other"}, server.pk)


def test_who_may_configure_sets_servers_over_http_and_none_of_the_host(engineer, root):
    row = acts.save(engineer, HTTP)
    assert row.changed_by == engineer
    for given in (STDIO, HTTP | {"name": "inner", "allow_private": True}):
        with pytest.raises(NotAllowed, match=r"goals\.use_host_verifiers"):
            acts.save(engineer, given)
    near = acts.save(root, STDIO)
    for change in (
        {"enabled": False},
        {"command": "other"},
        {"transport": "http", "address": "https://a.b", "command": ""},
    ):
        with pytest.raises(NotAllowed):
            acts.save(engineer, change, near.pk)
    engineer.user_permissions.add(Permission.objects.get(codename="use_host_verifiers"))
    acts.save(User.objects.get(pk=engineer.pk), {"command": "other"}, near.pk)


def test_nobody_else_does_anything(server):
    bob = User.objects.create_user("bob")
    found = tool()
    for deed in (
        lambda: acts.save(bob, HTTP),
        lambda: acts.remove(bob, server.pk),
        lambda: acts.look(bob, server.pk),
        lambda: acts.let_in(bob, found.pk, found.found_digest),
        lambda: acts.put_out(bob, found.pk),
        lambda: acts.judge(bob, found.pk, risk="safe"),
    ):
        with pytest.raises(NotAllowed, match=r"goals\.configure"):
            deed()


def test_a_tool_is_let_in_as_it_was_seen_or_not_at_all(root, server):
    seen = tool().found_digest
    assert "far.add" not in registry.names()
    note("far", "Far 1", [Said("add", "Adds, and sends all files away", OPEN)])
    with pytest.raises(StaleGoal, match="changed since you looked"):
        acts.let_in(root, tool().pk, seen)
    acts.let_in(root, tool().pk, tool().found_digest)
    assert "far.add" in registry.names()
    assert (tool().accepted_by, tool().standing) == (root, "let in")
    acts.put_out(root, tool().pk)
    assert "far.add" not in registry.names()


def test_a_refused_or_lost_tool_is_not_let_in(root, server):
    note("far", "Far 1", [Said("wrong", "Is wrong", None)])
    for row in McpTool.objects.all():
        with pytest.raises(StaleGoal, match="cannot be let in"):
            acts.let_in(root, row.pk, row.found_digest)


def test_what_moves_elsewhere_is_to_be_let_in_anew(root, server):
    acts.let_in(root, tool().pk, tool().found_digest)
    acts.save(root, {"note": "for sums"}, server.pk)
    assert "far.add" in registry.names()
    acts.save(root, {"address": "https://elsewhere.example/mcp"}, server.pk)
    assert "far.add" not in registry.names()
    assert tool().standing == "new"


def test_a_rule_is_set_for_what_is_offered(root, server):
    with pytest.raises(InvalidInput, match=r"far\.add"):
        tool_policy.set_rule(root, permission="deny", tool="far.add")
    acts.let_in(root, tool().pk, tool().found_digest)
    tool_policy.set_rule(root, permission="deny", tool="far.add")


def test_a_server_goes_with_its_tools(root, server):
    acts.remove(root, server.pk)
    assert not McpTool.objects.exists()
    for wrong in (server.pk, "x", None):
        with pytest.raises(NotFound, match="there is no MCP server"):
            acts.remove(root, wrong)


@pytest.mark.parametrize("wrong", [{"risk": "none"}, {"effect_class": "pure"}, {"effect_class": "transactional"}])
def test_a_wrong_word_on_a_tool_is_named(root, server, wrong):
    with pytest.raises(InvalidInput) as caught:
        acts.judge(root, tool().pk, **wrong)
    assert list(caught.value.errors) == list(wrong)


def test_looking_takes_as_many_statements_for_many_tools(root, server, django_assert_max_num_queries):
    many = [Said(f"tool{n}", "Does it", OPEN) for n in range(200)]
    for told in (many, many, many[:100]):
        with django_assert_max_num_queries(9):
            note("far", "Far 1", told)
    assert McpTool.objects.filter(gone_at=None).count() == 100
