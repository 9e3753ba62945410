"""`manage.py mcp`: from a new server to a tool that goals may use, and back, on the terminal."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from goals.models import McpServer
from goals.tools import registry

pytestmark = pytest.mark.django_db(transaction=True)


def mcp(*words: str) -> tuple[int, str, str]:
    out, err, code = StringIO(), StringIO(), 0
    try:
        call_command("mcp", *words, stdout=out, stderr=err)
    except SystemExit as ended:
        code = int(ended.code or 0)
    return code, out.getvalue(), err.getvalue()


def test_a_server_is_added_looked_at_let_in_and_removed(far, configurer):
    far.tells("add", {"name": "bad", "inputSchema": {"type": "object", "properties": {"outputs": {}}}})
    assert mcp("add", "far", "--address", far.url, "--allow-private")[0] == 0
    assert mcp("look") == (0, "far: 2 tools\n", "")
    _, out, _ = mcp("tools", "far", "--json")
    rows = {row["tool"]: row for row in map(json.loads, out.splitlines())}
    assert (rows["far.add"]["state"], rows["far.add"]["risk"]) == ("new", "dangerous")
    assert (rows["far.bad"]["state"], "outputs" in rows["far.bad"]["description"]) == ("refused", True)
    assert mcp("let-in", "far.add")[0] == 0
    assert "far.add" in registry.names()
    assert "1 let in, 1 refused" in mcp("list")[1]
    code, _, err = mcp("let-in", "far.bad")
    assert (code, "cannot be let in" in err) == (1, True)
    mcp("put-out", "far.add")
    assert "far.add" not in registry.names()
    assert mcp("remove", "far")[0] == 0
    assert not McpServer.objects.exists()


def test_what_is_wrong_is_named(far, configurer):
    for words, told in (
        (("add", "Far", "--address", "https://example.org"), "name: must be"),
        (("look", "none"), "SERVER: there is no MCP server 'none'; there are: none"),
        (("let-in", "none.x"), "TOOL: there is no tool 'none.x'"),
    ):
        code, _, err = mcp(*words)
        assert code == 64
        assert told in err
    mcp("add", "far", "--address", far.url)
    code, out, _ = mcp("look", "far")
    assert (code, "loopback" in out) == (1, True)
