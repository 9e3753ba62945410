"""Real servers on loopback addresses, and a name service that answers what a test says."""

import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


class Far(ThreadingHTTPServer):
    """A server that notes what came in and answers as its `answers` say, by path."""

    daemon_threads = True

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        super().__init__((host, port), Handler)
        self.came: list[tuple[str, str, dict[str, str], bytes]] = []
        self.answers: dict[str, Any] = {}
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://{self.server_address[0]}:{self.server_port}"

    def close(self) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: Any) -> None:
        """Who hangs up is no error here."""


class Handler(BaseHTTPRequestHandler):
    """An answer is (status, headers, body); a body that is a number is dripped so many seconds, or until changed."""

    def do_GET(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.came.append((self.command, self.path, dict(self.headers), sent))
        answer = self.server.answers.get(self.path, (200, {}, b"ok"))
        status, headers, body = answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        dripped = isinstance(body, float)
        self.send_header("Content-Length", str(10_000 if dripped else len(body)))
        self.end_headers()
        if not dripped:
            self.wfile.write(body)
            return
        ends = time.monotonic() + body
        while time.monotonic() < ends and self.server.answers.get(self.path) is answer:
            self.wfile.write(b".")
            time.sleep(0.05)

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def far() -> Iterator[Far]:
    server = Far()
    yield server
    server.close()


@pytest.fixture
def allow(settings: Any) -> Any:
    """Let hosts and networks through that are not public."""

    def set_to(*words: str) -> None:
        settings.GOALSITE_DOOR_ALLOW = list(words)

    return set_to


@pytest.fixture
def names(monkeypatch: Any) -> dict[str, list[list[str]]]:
    """A name service: for each name the answers to the first, the second, … question; the last one stays."""
    known: dict[str, list[list[str]]] = {}
    system = socket.getaddrinfo

    def answer(host: Any, port: Any, *args: Any, **options: Any) -> Any:
        if host not in known:
            return system(host, port, *args, **options)
        said = known[host].pop(0) if len(known[host]) > 1 else known[host][0]
        return [(*system(one, port, type=socket.SOCK_STREAM)[0][:4], (one, port)) for one in said]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    return known
