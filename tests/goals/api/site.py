"""A real web server on the test's database, for stories that need one."""

import http.client
import json
import signal
import subprocess
import sys
from typing import Any

from goalsite.children import BASE_DIR, answers
from tests.goalsite.processes import eventually
from tests.goalsite.test_asgi import free_port


class Site:
    """uvicorn with the site; it can be killed and started again at the same address."""

    def __init__(self, environment: dict[str, str], **settings: str) -> None:
        self.environment = {**environment, **settings}
        self.port = free_port()
        self.connections: list[http.client.HTTPConnection] = []
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "uvicorn", "goalsite.asgi:application", "--port", str(self.port)]
        more = ["--log-level", "error", "--timeout-graceful-shutdown", "1"]
        self.process = subprocess.Popen([*command, *more], cwd=BASE_DIR, env=self.environment)
        eventually(lambda: answers("127.0.0.1", self.port), 60, "the server answers")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(60)

    def stop(self) -> None:
        for connection in self.connections:
            connection.close()
        self.process.terminate()
        self.process.wait(60)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def threads(self) -> int:
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("Threads:"))

    def get(self, path: str, **headers: str) -> http.client.HTTPResponse:
        """Ask, and return the answer as it begins; its connection is closed when the site stops."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        self.connections.append(connection)
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        return connection.getresponse()


def next_event(stream: http.client.HTTPResponse) -> tuple[int, dict[str, Any]]:
    """Return the next event of a stream: its id and what it says."""
    id = 0
    while True:
        line = stream.readline().decode().rstrip("\n")
        if line.startswith("id: "):
            id = int(line.removeprefix("id: "))
        if line.startswith("data: "):
            return id, json.loads(line.removeprefix("data: "))
