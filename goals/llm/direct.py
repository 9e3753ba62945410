"""HTTP/1.1 without a go-between, on the standard library: for a call a third less work than in httpx2's own pool.

A connection carries one call at a time. Idle ones lie on a stack, so that the one used last is used next and no call
looks through all of them; one that has been idle for long, or on which something has arrived, is not used again.
"""

import http.client
import select
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import httpx2

PIECE = 65_536


@dataclass
class Line:
    """An open connection, whose it is, and since when it is idle."""

    origin: tuple[bytes, bytes, int | None]
    connection: http.client.HTTPConnection
    idle_since: float = 0.0

    @property
    def has_arrived(self) -> bool:
        """Whether something waits on an idle connection: as a rule its end."""
        arrivals = select.poll()
        arrivals.register(self.connection.sock.fileno(), select.POLLIN)
        return bool(arrivals.poll(0))


class DirectTransport(httpx2.BaseTransport):
    """Sends requests where they say; raises httpx2's own errors. Safe on threads."""

    def __init__(self, *, trust_env: bool, most_idle: int, idle_seconds: float) -> None:
        self._trust_env, self._most_idle, self._idle_seconds = trust_env, most_idle, idle_seconds
        self._idle: list[Line] = []
        self._lock = threading.Lock()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        limits = request.extensions.get("timeout", {})
        body = request.read()
        origin = (request.url.raw_scheme, request.url.raw_host, request.url.port)
        line = self._reused(origin) or Line(origin, self._connected(request.url, limits.get("connect")))
        try:
            _send(line.connection, request, body, limits.get("write"))
            response = _response(line.connection, limits.get("read"))
        except BaseException:
            line.connection.close()
            raise
        return httpx2.Response(response.status, headers=response.getheaders(), stream=_Body(self, line, response))

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for line in idle:
            line.connection.close()

    def take_back(self, line: Line) -> None:
        """Keep a connection whose reply was read to its end."""
        line.idle_since = now = time.monotonic()
        with self._lock:
            self._idle.append(line)
            is_old = len(self._idle) > self._most_idle or now - self._idle[0].idle_since > self._idle_seconds
            left = self._idle.pop(0) if is_old else None
        if left is not None:
            left.connection.close()

    def _reused(self, origin: tuple[bytes, bytes, int | None]) -> Line | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                line = self._idle.pop()
            is_fresh = time.monotonic() - line.idle_since <= self._idle_seconds
            if line.origin == origin and is_fresh and not line.has_arrived:
                return line
            line.connection.close()

    def _connected(self, url: httpx2.URL, seconds: float | None) -> http.client.HTTPConnection:
        host = url.raw_host.decode("ascii")
        if url.scheme == "https":
            connection = http.client.HTTPSConnection(host, url.port, timeout=seconds, context=self._context)
        else:
            connection = http.client.HTTPConnection(host, url.port, timeout=seconds)
        try:
            connection.connect()
        except TimeoutError as error:
            raise httpx2.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise httpx2.ConnectError(str(error)) from error
        return connection

    @cached_property
    def _context(self) -> ssl.SSLContext:
        return httpx2.create_ssl_context(trust_env=self._trust_env)


class _Body(httpx2.SyncByteStream):
    """What comes after the headers, as it arrives."""

    def __init__(self, transport: DirectTransport, line: Line, response: http.client.HTTPResponse) -> None:
        self._transport, self._response = transport, response
        self._line: Line | None = line

    def __iter__(self) -> Iterator[bytes]:
        while piece := self._piece():
            yield piece

    def _piece(self) -> bytes:
        with _reading():
            piece = self._response.read1(PIECE)
        if not piece and self._response.length:
            raise httpx2.RemoteProtocolError(f"it was closed with {self._response.length} bytes to come")
        return piece

    def close(self) -> None:
        line, self._line = self._line, None
        if line is None:
            return
        is_whole = self._response.isclosed() or self._response.length == 0
        self._response.close()
        if is_whole and line.connection.sock is not None:
            self._transport.take_back(line)
        else:
            line.connection.close()


def _send(connection: http.client.HTTPConnection, request: httpx2.Request, body: bytes, seconds: float | None) -> None:
    try:
        connection.sock.settimeout(seconds)
        target = request.url.raw_path.decode("ascii")
        connection.putrequest(request.method, target, skip_host=True, skip_accept_encoding=True)
        for name, value in request.headers.raw:
            connection.putheader(name, value)
        connection.endheaders(body or None)
    except TimeoutError as error:
        raise httpx2.WriteTimeout(str(error)) from error
    except OSError as error:
        raise httpx2.WriteError(str(error)) from error


def _response(connection: http.client.HTTPConnection, seconds: float | None) -> http.client.HTTPResponse:
    with _reading():
        connection.sock.settimeout(seconds)
        return connection.getresponse()


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise httpx2.ReadTimeout(str(error)) from error
    except OSError as error:
        raise httpx2.ReadError(str(error)) from error
    except http.client.HTTPException as error:
        raise httpx2.RemoteProtocolError(str(error) or type(error).__name__) from error
