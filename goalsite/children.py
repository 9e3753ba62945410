"""One child process of the supervisor: started in a session of its own, restarted with growing pauses, ended whole."""

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen

from goalsite import fastened

FIRST_PAUSE, LONGEST_PAUSE, CALM = 0.2, 10.0, 30.0
BASE_DIR = Path(__file__).resolve().parent.parent


@dataclass
class Child:
    """A module that runs as a process, with its arguments and what it has in its environment beside ours."""

    name: str
    module: str
    arguments: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    grace: float = 6.0
    sign_of_life: str = ""  # a file that it touches
    address: tuple[str, int] | None = None  # where it answers /healthz
    process: "Popen[bytes] | None" = None
    started_at: float = 0.0
    started_time: float = 0.0
    pause: float = FIRST_PAUSE
    start_again_at: float = 0.0

    def start(self) -> None:
        """Start it; its process group has its pid."""
        self.started_at, self.started_time = time.monotonic(), time.time()
        self.process = subprocess.Popen(
            [sys.executable, "-m", fastened.__name__, self.module, *self.arguments],
            cwd=BASE_DIR,
            env={**os.environ, **self.environment, fastened.PARENT: str(os.getpid())},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def is_alive(self) -> bool:
        """Whether its main process runs."""
        return self.process is not None and self.process.poll() is None

    def bury(self) -> float:
        """It died: end what is left of its group and plan its next start; returns the pause until then."""
        self.kill_group()
        calm = time.monotonic() - self.started_at > CALM
        self.pause = FIRST_PAUSE if calm else min(self.pause * 2, LONGEST_PAUSE)
        self.start_again_at = time.monotonic() + self.pause
        self.process = None
        return self.pause

    def is_silent(self, longest: float) -> bool:
        """Whether it should give signs of life and gave none for so many seconds."""
        if not self.sign_of_life or time.monotonic() - self.started_at < longest:
            return False
        try:
            return time.time() - Path(self.sign_of_life).stat().st_mtime > longest
        except FileNotFoundError:
            return True

    def is_ready(self) -> bool:
        """Whether it does its work: answers at its address, or gave a sign of life since it was started."""
        if not self.is_alive:
            return False
        if self.address is not None:
            return answers(*self.address)
        try:
            return Path(self.sign_of_life).stat().st_mtime > self.started_time
        except FileNotFoundError:
            return False

    def ask_to_stop(self) -> None:
        """SIGTERM to its main process."""
        if self.is_alive:
            self.process.terminate()

    def kill_group(self) -> None:
        """SIGKILL to everything in its process group."""
        if self.process is None:
            return
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


def answers(host: str, port: int) -> bool:
    """Whether a web server there says that it is healthy."""
    connection = http.client.HTTPConnection(host, port, timeout=2)
    try:
        connection.request("GET", "/healthz", headers={"Host": "localhost"})
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
