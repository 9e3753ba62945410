"""Servers that are commands: in the sandbox, without the site's environment, and ended with all that they started."""

import json
import os
import sys
import time

import pytest

from goals.mcp import acts
from goals.tools import registry
from goals.tools.errors import OutcomeUnknown, ToolTimeout
from goals.verifiers import sandbox
from tests.goals.mcp.conftest import PROGRAM, Far
from tests.goals.mcp.test_calls import use

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def piped(tmp_path, configurer, let_in):
    """A scripted server that is a command; its folder is read, and it may not write there."""
    far = Far(tmp_path)
    (tmp_path / "far_server.py").write_text(PROGRAM.read_text())
    far.tells("add")
    command = f"{sys.executable} far_server.py stdio {far.script}"
    far.row = acts.save(configurer, {"name": "far", "transport": "stdio", "command": command, "folder": str(tmp_path)})
    let_in(far.row)
    return far


@pytest.mark.parametrize("level", ["best", "weaker"])
def test_a_command_is_started_for_a_call_and_ended_after_it(piped, settings, configurer, monkeypatch, level):
    if level == "weaker":
        monkeypatch.setattr(sandbox, "has_bubblewrap", lambda: False)
    monkeypatch.setenv("OPENAI_API_KEY", "the-sites-own")
    settings.GOALSITE_MCP_SECRETS = {"GOALSITE_MCP_FAR": "s3cr3t-token", "GOALSITE_MCP_OTHER": "another"}
    acts.save(configurer, {"secret_variable": "GOALSITE_MCP_FAR", "secret_as": "API_KEY"}, piped.row.pk)
    piped.tells(add={"echo": "environment"})
    told = json.loads(use().value["text"])
    assert told["API_KEY"] == "[secret]"
    assert not {name for name in told if name.startswith(("GOALSITE", "DJANGO", "OPENAI", "DATABASE"))}
    assert "another" not in str(told)
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and _runs(pid, str(piped.script))]


def test_a_slow_command_is_ended_in_time(piped):
    piped.tells(add={"slow": 60})
    began = time.monotonic()
    with pytest.raises(ToolTimeout):
        use(seconds=6.0)
    assert time.monotonic() - began < 20
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and _runs(pid, str(piped.script))]


@pytest.mark.parametrize("does", [{"die": True}, {"huge": 9_000_000}])
def test_a_command_that_gives_no_answer_may_have_acted(piped, does):
    piped.tells(add=does)
    with pytest.raises(OutcomeUnknown):
        use()


@pytest.mark.parametrize("command", ["/no/such/program", f"{sys.executable} -c 'print(1)'"])
def test_a_command_that_speaks_no_mcp_says_so(piped, configurer, command):
    acts.save(configurer, {"command": command}, piped.row.pk)
    assert acts.look(configurer, piped.row.pk).error
    assert "far.add" not in registry.names()


def _runs(pid: str, script: str) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline") as words:
            return script in words.read() and int(pid) != os.getpid()
    except OSError:
        return False
