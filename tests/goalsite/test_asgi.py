"""The live layer in the real server, with several sockets; and the server's start and stop."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from goalsite import live, plain_connection
from goalsite.children import BASE_DIR, answers
from tests.goalsite.processes import eventually
from tests.goalsite.redis_server import redis_server

pytestmark = pytest.mark.django_db(transaction=True)
UVICORN = ["-m", "uvicorn", "tests.goalsite.live_app:application", "--lifespan", "on"]
UVICORN += ["--log-level", "warning", "--timeout-graceful-shutdown", "3"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """uvicorn with the live application."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.port = free_port()
        self.process = subprocess.Popen(
            [sys.executable, *UVICORN, "--port", str(self.port)],
            cwd=BASE_DIR,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        eventually(lambda: answers("127.0.0.1", self.port), 60, "the server answers")

    def open(self, origin: str = "http://localhost") -> ClientConnection:
        return connect(f"ws://127.0.0.1:{self.port}/room/", origin=origin)

    def stop(self) -> str:
        self.process.send_signal(signal.SIGTERM)
        _, errors = self.process.communicate(timeout=60)
        return errors


@pytest.fixture
def server(site_environment: dict[str, str]) -> Iterator[Server]:
    found = Server(site_environment)
    yield found
    if found.process.poll() is None:
        found.stop()


def receive(client: ClientConnection) -> dict:
    return json.loads(client.recv(timeout=60))


def test_every_socket_gets_every_message(server):
    with ExitStack() as stack:
        clients = [stack.enter_context(server.open()) for _ in range(10)]
        for number in range(20):
            live.publish("room", {"type": "live.event", "number": number})
        for client in clients:
            assert [receive(client)["number"] for _ in range(20)] == list(range(20))


def test_sockets_that_come_and_go_do_not_disturb_the_others(server):
    with server.open() as staying:
        for number in range(5):
            with server.open() as passing:
                live.publish("room", {"type": "live.event", "number": number})
                assert receive(passing)["number"] == number
            assert receive(staying)["number"] == number
    with server.open() as later:
        live.publish("room", {"type": "live.event", "number": 9})
        assert receive(later)["number"] == 9


def test_after_a_lost_connection_every_socket_is_told_and_goes_on(server):
    with server.open() as first, server.open() as second:
        with psycopg.connect(**plain_connection.parameters(), autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN goalsite%'")
        for client in (first, second):
            assert receive(client) == {"type": "live.resync"}
        live.publish("room", {"type": "live.event", "number": 1})
        for client in (first, second):
            assert receive(client)["number"] == 1


def test_a_page_of_another_site_gets_no_socket(server):
    with pytest.raises(InvalidStatus, match="403"):
        server.open(origin="http://evil.example")


def test_a_stop_closes_the_sockets_and_complains_of_nothing(server):
    with server.open() as client:
        errors = server.stop()
        with pytest.raises(ConnectionClosed):
            client.recv(timeout=60)
    assert errors == ""
    assert server.process.returncode in (0, -signal.SIGTERM)


@pytest.mark.redis
@pytest.mark.skipif(not shutil.which("redis-server") and not os.environ.get("CI"), reason="needs redis-server")
def test_the_same_over_redis(site_environment, tmp_path: Path):
    with redis_server(tmp_path) as address:
        environment = {**site_environment, "REDIS_URL": address}
        server = Server(environment)
        code = "import django; django.setup(); from goalsite.live import publish\n"
        code += "publish('room', {'type': 'live.event', 'number': 7})"
        with server.open() as first, server.open() as second:
            subprocess.run([sys.executable, "-c", code], cwd=BASE_DIR, env=environment, check=True)
            assert [receive(client)["number"] for client in (first, second)] == [7, 7]
        assert "Traceback" not in server.stop()
