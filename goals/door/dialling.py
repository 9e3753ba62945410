"""The network beneath the client: a name is resolved once, all its addresses are judged, and one of these is dialled.

What a name says a moment later changes nothing, since nobody asks it again. All of a call shares one deadline.
"""

import ipaddress
import queue
import socket
import threading
import time
from typing import Any

import httpcore2

from goals.door.errors import Refused, TimeOver, Unreachable
from goals.door.networks import Address, Allowed


class Deadline:
    """The time until which a whole call must be over."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that remain; raises TimeOver when there are none."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise TimeOver(f"it took longer than {self.seconds:g} s")
        return left


class Checked(httpcore2.NetworkBackend):
    """Dials checked addresses only."""

    def __init__(self, allowed: Allowed, deadline: Deadline) -> None:
        self._allowed, self._deadline = allowed, deadline
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *args: Any, **options: Any
    ) -> httpcore2.NetworkStream:
        """Resolve, judge, and connect to the first address that answers."""
        failure: Exception = Unreachable(f"{host} has no address")
        for address in judged(host, port, self._allowed, self._deadline):
            try:
                stream = self._inner.connect_tcp(str(address), port, self._deadline.left(), *args, **options)
                return Timed(stream, self._deadline)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure


class Timed(httpcore2.NetworkStream):
    """A connection whose every step has the time that is left of the whole."""

    def __init__(self, inner: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._inner, self._deadline = inner, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._deadline.left())

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return Timed(self._inner.start_tls(ssl_context, server_hostname, self._deadline.left()), self._deadline)

    def close(self) -> None:
        self._inner.close()

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def literal(host: str) -> Address | None:
    """Return the address that a host is written as, None when it is a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def judged(host: str, port: int, allowed: Allowed, deadline: Deadline) -> list[Address]:
    """Return the addresses of a host, each of which may be asked; raises Refused, Unreachable, TimeOver."""
    found = resolved(host, port, deadline)
    for address in found:
        if why := allowed.refusal(host, address):
            raise Refused(f"{host} is not asked: its address {address} is {why}")
    return found


def resolved(host: str, port: int, deadline: Deadline) -> list[Address]:
    """Return the addresses of a host, each once; raises Unreachable, TimeOver."""
    if (place := literal(host)) is not None:
        return [place]
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_look_up, args=(host, port, answers), daemon=True).start()
    try:
        found = answers.get(timeout=deadline.left())
    except queue.Empty:
        raise TimeOver(f"the name {host} was not resolved within {deadline.seconds:g} s") from None
    if isinstance(found, Exception):
        raise Unreachable(f"the name {host} cannot be resolved ({found})") from None
    return list(dict.fromkeys(_plain(place[0]) for *_, place in found))


def _look_up(host: str, port: int, answers: "queue.SimpleQueue[Any]") -> None:
    """Ask the system on a thread of its own: it knows no deadline."""
    try:
        answers.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except (OSError, UnicodeError) as error:
        answers.put(error)


def _plain(text: Any) -> Address:
    return ipaddress.ip_address(str(text).partition("%")[0])
