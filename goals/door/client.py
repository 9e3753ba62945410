"""The door for clients that speak with an address for a while: the same checks, in asyncio, within a time and size."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpcore2
import httpx2

from goals.door.asking import FAULTS, TIMEOUTS, allowed, read_address, trusted
from goals.door.dialling import Deadline, judged
from goals.door.errors import DoorError, TimeOver, TooMuch, Unreachable
from goals.door.networks import Allowed

PLAIN = (b"Accept-Encoding", b"identity")  # what is packed grows without being counted


class JudgedBackend(httpcore2.AsyncNetworkBackend):
    """Dials checked addresses only."""

    def __init__(self, allowed: Allowed, deadline: Deadline) -> None:
        self._allowed, self._deadline = allowed, deadline
        self._inner = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *args: Any, **options: Any
    ) -> httpcore2.AsyncNetworkStream:
        """Resolve, judge, and connect to the first address that answers."""
        failure: Exception = Unreachable(f"{host} has no address")
        for address in await asyncio.to_thread(judged, host, port, self._allowed, self._deadline):
            try:
                return await self._inner.connect_tcp(str(address), port, self._deadline.left(), *args, **options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class JudgedTransport(httpx2.AsyncBaseTransport):
    """What an `httpx2.AsyncClient` sends its requests by; raises DoorError.

    `private` lets the host through where its addresses are private or loopback ones. All answers together may hold
    `most` bytes. `statuses` are those of the answers to POSTs so far.
    """

    def __init__(self, address: str, *, seconds: float, most: int, private: bool = False) -> None:
        host = read_address(address).host
        lets = allowed().with_private(host) if private else allowed()
        self._pool = httpcore2.AsyncConnectionPool(trusted(), network_backend=JudgedBackend(lets, Deadline(seconds)))
        self._left = self._most = most
        self.failure: DoorError | None = None
        self.statuses: list[int] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        asked = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=[*(one for one in request.headers.raw if one[0].lower() != b"accept-encoding"), PLAIN],
            content=request.stream,
            extensions=request.extensions,
        )
        try:
            reply = await self._pool.handle_async_request(asked)
        except Exception as error:
            raise self.noted(error, url.host) from error
        if any(name.lower() == b"content-encoding" and value != b"identity" for name, value in reply.headers):
            await reply.aclose()
            raise self.noted(Unreachable(f"{url.host} answers compressed, which nobody asked for"), url.host)
        if request.method == "POST":
            self.statuses.append(reply.status)
        return httpx2.Response(
            reply.status, headers=reply.headers, stream=_Counted(reply.stream, self), extensions=reply.extensions
        )

    async def aclose(self) -> None:
        await self._pool.aclose()

    def count(self, size: int) -> None:
        """Take note of bytes that came; raises TooMuch."""
        self._left -= size
        if self._left < 0:
            self.failure = TooMuch(f"it answered with more than {self._most:,} bytes")
            raise self.failure

    def noted(self, error: Exception, host: str) -> Exception:
        """Return what an error is at the door, and remember it: clients swallow some."""
        found = error
        if isinstance(error, TIMEOUTS):
            found = TimeOver("it took too long")
        elif isinstance(error, FAULTS):
            found = Unreachable(f"{host}: {str(error) or type(error).__name__}")
        if isinstance(found, DoorError):
            self.failure = found
        return found


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, inner: Any, transport: JudgedTransport) -> None:
        self._inner, self._transport = inner, transport

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for part in self._inner:
                self._transport.count(len(part))
                yield part
        except (*TIMEOUTS, *FAULTS) as error:
            raise self._transport.noted(error, "the connection") from error

    async def aclose(self) -> None:
        if hasattr(self._inner, "aclose"):
            await self._inner.aclose()
