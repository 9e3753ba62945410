"""A client that floods a socket with what no browser would send, as fast as the socket takes it."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import cycle, islice

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

SOMEBODY = "01a20094-443e-7404-a22d-d44619248db3"
HUGE = 900_000  # characters; below the largest frame that uvicorn reads


def _frame(**fields: object) -> str:
    return json.dumps(fields)


HOSTILE = [
    "",
    "no JSON at all",
    '{"type": "ping"',
    "null",
    "[1, 2, 3]",
    '"ping"',
    "[" * 100_000,
    '{"type": {"type": {"type": "ping"}}}',
    '{"type": "ping", "type": "hello"}',
    _frame(type="goal_changed", goal=SOMEBODY, seq=1),
    _frame(type="__class__"),
    _frame(type="ping", more="\u202e<script>alert(1)</script>"),
    _frame(type="message"),
    _frame(type="answer", question=SOMEBODY, answer="yes"),
    _frame(type="answer", question={"$ne": None}, answer=None),
    _frame(type="replay", goal=SOMEBODY, after=0),
    _frame(type="replay", goal="'; DROP TABLE goals_goal; --", after=0),
    '{"type": "replay", "goal": 1e999, "after": NaN}',
    _frame(type="replay", goal=SOMEBODY, after=2**63),
    b"\x00\xff\xfe",
    "x" * HUGE,
    _frame(type="message", content="\x00" * (HUGE // 6)),
]


class Flood:
    """More hostile frames over one socket than the kernel keeps for it, from a thread; `answers` is what came back."""

    def __init__(self, client: ClientConnection, number: int) -> None:
        self.client = client
        self.thread = threading.Thread(target=self._send, args=[number])
        self.answers: list[dict] = []

    def _send(self, number: int) -> None:
        with suppress(ConnectionClosed, OSError):
            for frame in islice(cycle(HOSTILE), number):
                self.client.send(frame)

    @property
    def is_held_up(self) -> bool:
        """Whether there is still something that the site has not taken; it has had a second to take it all."""
        self.thread.join(1)
        return self.thread.is_alive()

    def until(self, field: str) -> dict:
        """Read until a refusal of this field."""
        while True:
            self.answers.append(json.loads(self.client.recv(timeout=60)))
            if self.answers[-1].get("field") == field:
                return self.answers[-1]


@contextmanager
def flooded(url: str, cookie: str, number: int) -> Iterator[Flood]:
    """Flood a socket, and be gone without a word."""
    with opened(url, cookie) as client:
        flood = Flood(client, number)
        flood.thread.start()
        try:
            yield flood
        finally:
            client.socket.shutdown(socket.SHUT_RDWR)
            flood.thread.join(60)


@contextmanager
def opened(url: str, cookie: str) -> Iterator[ClientConnection]:
    """A socket of a page of this site's own, welcomed."""
    origin = url.replace("ws://", "http://").split("/ws/")[0]
    plain = {"compression": None, "max_size": None}  # packed, the whole flood would fit into the kernel's buffers
    with connect(url, origin=origin, additional_headers={"Cookie": cookie}, close_timeout=5, **plain) as client:
        assert json.loads(client.recv(timeout=60))["type"] == "hello"
        yield client


def ping(client: ClientConnection) -> None:
    """Ask whether the site is there, and hear that it is."""
    client.send(_frame(type="ping"))
    while json.loads(client.recv(timeout=60))["type"] != "pong":
        pass
