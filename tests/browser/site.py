"""The site's processes on the test's database: web and workers, each killable by itself, and one rehearsal model."""

import atexit
import os
import signal
import subprocess
import sys
import time
import urllib.request
from functools import cache
from pathlib import Path

from goalsite import ports
from goalsite.child_of import die_with_parent
from goalsite.children import BASE_DIR
from goalsite.plan import LARGEST_FRAME

PATIENCE = 90
FIRST_PORT = 10_000 + os.getpid() * 8 % 20_000  # runs beside this one must not meet it


@cache
def rehearsal() -> int:
    """The port of a rehearsal model for all sites of this process: it remembers nothing, so that they can share it."""
    port = ports.next_free("127.0.0.1", FIRST_PORT)
    process = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "goals.llm.rehearsal.app:app", "--port", str(port), "--log-level", "error"],
        cwd=BASE_DIR,
        preexec_fn=die_with_parent(signal.SIGTERM),
    )
    atexit.register(process.wait, 20)
    atexit.register(process.terminate)
    answers(f"http://127.0.0.1:{port}/healthz")
    return port


class Site:
    """Started at once; `stop` ends every process."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.environment = {
            **environment,
            "DJANGO_SETTINGS_MODULE": "goalsite.settings",
            "GOALSITE_DATA_DIR": str(folder),
            "GOALSITE_WORKERS": "1",
            "GOALSITE_LEASE_SECONDS": "4",
        }
        if "OPENAI_BASE_URL" not in environment:
            self.environment["GOALSITE_REHEARSAL_PORT"] = str(rehearsal())
        self.port = ports.next_free("127.0.0.1", FIRST_PORT)
        self.url = f"http://127.0.0.1:{self.port}"
        self.folder = folder
        (folder / "static").mkdir(parents=True, exist_ok=True)
        self.processes: dict[str, subprocess.Popen] = {}
        try:
            self.start_workers()
            self.start_web()
        except BaseException:
            self.stop()
            raise

    def start_web(self) -> None:
        arguments = ["goalsite.asgi:application", "--port", str(self.port), "--timeout-graceful-shutdown", "1"]
        arguments += ["--ws-max-size", str(LARGEST_FRAME)]
        self._start("web", "uvicorn", *arguments)
        answers(f"{self.url}/healthz")

    def start_workers(self) -> None:
        self._start("workers", "goalsite.workers")

    def kill(self, name: str) -> None:
        """End one of them as a crash does."""
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def freeze(self, name: str) -> None:
        """Stop one of them in its tracks: it is there, and says nothing."""
        os.killpg(self.processes[name].pid, signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        os.killpg(self.processes[name].pid, signal.SIGCONT)

    def stop(self) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(12)
            except subprocess.TimeoutExpired:
                pass
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.processes.clear()

    def _start(self, name: str, module: str, *arguments: str) -> None:
        with (self.folder / f"{name}.log").open("a") as log:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                cwd=BASE_DIR,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=die_with_parent(signal.SIGKILL),
            )


def answers(url: str) -> None:
    """Wait until a server answers there."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            assert time.monotonic() < deadline, f"{url} did not answer within {PATIENCE} s"
            time.sleep(0.1)
