"""Servers that are commands: in the sandbox, without the site's environment, and ended with all that they started."""

import json
import os
import sys
import time

import pytest

from goals.mcp import acts
from goals.tools.errors import OutcomeUnknown, ToolTimeout
from goals.verifiers import sandbox
from tests.goals.mcp.conftest import PROGRAM, Far
from tests.goals.mcp.test_calls import use

NAP = "613.25"  # seconds; nobody else sleeps so
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
    if level == "weaker":  # with a network, and so without processes of its own: only its group ends them all
        monkeypatch.setattr(sandbox, "has_bubblewrap", lambda: False)
        acts.save(configurer, {"allow_private": True}, piped.row.pk)
    monkeypatch.setenv("OPENAI_API_KEY", "the-sites-own")
    settings.GOALSITE_MCP_SECRETS = {"GOALSITE_MCP_FAR": "s3cr3t-token", "GOALSITE_MCP_OTHER": "another"}
    acts.save(configurer, {"secret_variable": "GOALSITE_MCP_FAR", "secret_as": "API_KEY"}, piped.row.pk)
    piped.tells(add={"echo": "environment", "spawn": NAP})
    told = json.loads(use().value["text"])
    assert told["API_KEY"] == "[secret]"
    assert not {name for name in told if name.startswith(("GOALSITE", "DJANGO", "OPENAI", "DATABASE"))}
    assert "another" not in str(told)
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and _runs(pid, str(piped.script), NAP)]


def test_a_command_that_gives_no_answer_may_have_acted_and_is_ended(piped):
    for does, error in (
        ({"die": True}, OutcomeUnknown),
        ({"huge": 9_000_000}, OutcomeUnknown),
        ({"slow": 60}, ToolTimeout),
    ):
        piped.tells(add={"say": "-", **does})
        began = time.monotonic()
        with pytest.raises(error):
            use(seconds=8.0)
        assert time.monotonic() - began < 25
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and _runs(pid, str(piped.script))]


def test_a_command_that_speaks_no_mcp_says_so(configurer):
    row = acts.save(configurer, {"name": "far", "transport": "stdio", "command": "/no/such/program"})
    for command in ("/no/such/program", f"{sys.executable} -c 'print(1)'"):
        acts.save(configurer, {"command": command}, row.pk)
        assert acts.look(configurer, row.pk).error.startswith("the server far")


def _runs(pid: str, *signs: str) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            words = file.read()
        return any(sign in words for sign in signs) and int(pid) != os.getpid()
    except OSError:
        return False
