"""A server that a test scripts, on a loopback port or as a command, and a row for it."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goals.mcp import acts, offered
from goals.models import McpServer, McpTool

PROGRAM = Path(__file__).with_name("far_server.py")
NUMBER = {"type": "object", "properties": {"number": {"type": "integer", "description": "Which one"}}}


class Far:
    """A scripted server: what it tells of, what it does, and what it was asked to do."""

    def __init__(self, folder: Path) -> None:
        self.script = folder / "script.json"
        self.folder = folder
        self.process: subprocess.Popen | None = None
        self.port = 0
        self.told = {"tools": [], "does": {}}
        self.tells()

    def tells(self, *tools: Any, **does: Any) -> None:
        """Tell of these tools from now on, and do this when they are called."""
        listed = [one if isinstance(one, dict) else {"name": one} for one in tools] or self.told["tools"]
        listed = [{"description": f"Does {one['name']}", "inputSchema": NUMBER, **one} for one in listed]
        self.told = {"tools": listed, "does": {**self.told["does"], **does}}
        new = self.script.with_suffix(".new")
        new.write_text(json.dumps(self.told))
        new.replace(self.script)

    @property
    def calls(self) -> list[Any]:
        file = self.folder / "calls"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def start(self) -> None:
        if not self.port:
            with socket.socket() as found:
                found.bind(("127.0.0.1", 0))
                self.port = found.getsockname()[1]
        words = [sys.executable, str(PROGRAM), "http", str(self.script), str(self.port)]
        self.process = subprocess.Popen(words)
        ends = time.monotonic() + 30
        while time.monotonic() < ends:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError("the server did not start")

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="package")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Far]:
    """One process over HTTP for all tests."""
    far = Far(tmp_path_factory.mktemp("far"))
    far.start()
    yield far
    far.stop()


@pytest.fixture
def far(running: Far) -> Iterator[Far]:
    """The server over HTTP, as if nobody had scripted it yet."""
    if running.process.poll() is not None:
        running.start()
    (running.folder / "calls").unlink(missing_ok=True)
    running.told = {"tools": [], "does": {}}
    running.tells()
    yield running
    offered.tools.forget()


@pytest.fixture
def server(far: Far, configurer: Any) -> McpServer:
    """Its row: over HTTP, on a loopback address."""
    return acts.save(configurer, {"name": "far", "transport": "http", "address": far.url, "allow_private": True})


@pytest.fixture
def let_in(configurer: Any) -> Any:
    """Look for a server's tools, and let all of them in."""

    def make(server: McpServer) -> dict[str, McpTool]:
        looked = acts.look(configurer, server.pk)
        assert looked.error == ""
        return {row.name: acts.let_in(configurer, row.pk, row.found_digest) for row in looked.tools.filter(refused="")}

    return make
