"""Commands as processes: run to the end, started, or on a terminal of their own."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[3]
PATIENCE = 60.0
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Manage:
    """Runs `manage.py` in an environment."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "manage.py", *words]

    def __call__(self, *words: str, **more: str) -> "subprocess.CompletedProcess[str]":
        """Run to the end with nobody at the keyboard."""
        environment = {**self.environment, **more}
        streams = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": PATIENCE}
        return subprocess.run(self.command(*words), cwd=HOME, env=environment, **streams)

    @contextmanager
    def started(self, *words: str) -> "Iterator[subprocess.Popen[str]]":
        """Run beside the test; it is gone at the end, however the test ends."""
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        with subprocess.Popen(self.command(*words), cwd=HOME, env=self.environment, **streams) as process:
            try:
                yield process
            finally:
                process.kill()

    def terminal(self, *words: str) -> "Terminal":
        return Terminal(self.command(*words), self.environment)


class Terminal:
    """A command on a pseudo-terminal of its own; `screen` is all that it has written, without colours."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.master, inside = pty.openpty()
        streams = {"stdin": inside, "stdout": inside, "stderr": inside}
        environment = {**environment, "TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
        self.process = subprocess.Popen(["setsid", "--ctty", *command], cwd=HOME, env=environment, **streams)
        os.close(inside)
        self.raw = ""
        self._seen = 0

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)

    @property
    def screen(self) -> str:
        return ESCAPES.sub("", self.raw)

    def wait_for(self, text: str) -> None:
        """Read until the text comes, after what was waited for before."""
        deadline = time.monotonic() + PATIENCE
        while (at := self.screen.find(text, self._seen)) < 0:
            assert time.monotonic() < deadline, f"{text!r} did not come:\n{self.screen}"
            assert self._read(), f"it ended before {text!r}:\n{self.screen}"
        self._seen = at + len(text)

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def say(self, text: str) -> None:
        """Answer the next prompt."""
        self.wait_for("> ")
        self.type(text + "\n")

    def end(self) -> int:
        """Read to the end; the exit code."""
        deadline = time.monotonic() + PATIENCE
        while self._read():
            assert time.monotonic() < deadline, f"it does not end:\n{self.screen}"
        return self.process.wait(PATIENCE)

    def _read(self) -> bool:
        """Read what there is; whether there may be more."""
        if not select.select([self.master], [], [], 0.2)[0]:
            return True
        try:
            piece = os.read(self.master, 65536)
        except OSError:  # the other side is closed
            return False
        self.raw += piece.decode(errors="replace")
        return bool(piece)


def objects(text: str) -> list[dict[str, Any]]:
    """Parse output of which every line must be a JSON object."""
    found = [json.loads(line) for line in text.splitlines()]
    assert all(isinstance(one, dict) for one in found)
    return found
