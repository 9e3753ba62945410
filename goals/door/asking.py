"""Asking an address once: http or https, checked, within a time and a size, by no proxy."""

import functools
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpcore2
import httpx2
from django.conf import settings

from goals.door.dialling import Checked, Deadline
from goals.door.errors import BadAddress, DoorError, TimeOver, Unreachable
from goals.door.networks import Allowed

LONGEST_ADDRESS = 2000
LARGEST_PORT = 65_535
SCHEMES = ("http", "https")
REDIRECTS = frozenset({301, 302, 303, 307, 308})
AGENT = "Goalsite"
TIMEOUTS = (httpcore2.ConnectTimeout, httpcore2.ReadTimeout, httpcore2.WriteTimeout, httpcore2.PoolTimeout)
FAULTS = (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back from `address`. `cut` says that the body was longer than what is kept of it."""

    address: str
    status: int
    headers: httpx2.Headers = field(default_factory=httpx2.Headers)
    body: bytes = b""
    cut: bool = False


def ask(
    method: str,
    address: str,
    *,
    seconds: float,
    most: int,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    redirects: int = 0,
) -> Reply:
    """Send a request and return the reply, whatever its status; raises DoorError.

    `seconds` is for all of it, `most` the bytes that are kept of the body. Up to `redirects` are followed by GET, each
    to an address that is checked anew; beyond that the reply says where it leads.
    """
    deadline = Deadline(seconds)
    while True:
        reply = _ask_once(method, read_address(address), headers or {}, body, most, deadline)
        onward = reply.headers.get("location")
        if reply.status not in REDIRECTS or not onward or redirects <= 0:
            return reply
        redirects -= 1
        address, method, body = _joined(reply.address, onward), "GET", b""


def read_address(address: Any) -> httpx2.URL:
    """Return the parsed address; raises BadAddress with what is allowed."""
    if not isinstance(address, str) or not 0 < len(address) <= LONGEST_ADDRESS:
        raise BadAddress(f"must be an address of 1 to {LONGEST_ADDRESS} characters")
    if not address.isprintable() or any(mark in address for mark in " \\"):
        raise BadAddress("must hold no spaces, backslashes or control characters")
    try:
        url = httpx2.URL(address)
    except (httpx2.InvalidURL, ValueError) as error:
        raise BadAddress(f"is no address ({error})") from None
    if url.scheme not in SCHEMES or not url.host:
        raise BadAddress("must begin with http:// or https:// and name a host")
    if url.userinfo:
        raise BadAddress("must hold no account or password")
    if url.port is not None and not 1 <= url.port <= LARGEST_PORT:
        raise BadAddress("must have a port from 1 to 65535, if any")
    return url


def allowed() -> Allowed:
    """Return what the operator lets through besides public addresses."""
    return _allowed(tuple(settings.GOALSITE_DOOR_ALLOW))


@functools.lru_cache(maxsize=8)
def _allowed(words: tuple[str, ...]) -> Allowed:
    return Allowed.of(words)


@functools.lru_cache(maxsize=1)
def trusted() -> ssl.SSLContext:
    """Return whose certificates are believed."""
    return httpcore2.default_ssl_context()


def _joined(address: str, onward: str) -> str:
    try:
        return str(httpx2.URL(address).join(onward))
    except (httpx2.InvalidURL, ValueError) as error:
        raise BadAddress(f"it leads to {onward[:200]!r}, which is no address ({error})") from None


def _ask_once(
    method: str, url: httpx2.URL, headers: Mapping[str, str], body: bytes, most: int, deadline: Deadline
) -> Reply:
    sent = {"Host": url.netloc.decode("ascii"), "User-Agent": AGENT, "Accept-Encoding": "identity", **headers}
    target = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    fields = [(name.encode("ascii"), value.encode("utf-8")) for name, value in sent.items()]
    if body or method != "GET":
        fields.append((b"Content-Length", str(len(body)).encode()))
    try:
        with (
            httpcore2.ConnectionPool(trusted(), network_backend=Checked(allowed(), deadline)) as pool,
            pool.stream(method, target, headers=fields, content=body or None) as response,
        ):
            kept, cut = _kept(response.iter_stream(), most)
            return Reply(str(url), response.status, httpx2.Headers(response.headers), kept, cut)
    except DoorError:
        raise
    except TIMEOUTS:
        raise TimeOver(f"it took longer than {deadline.seconds:g} s") from None
    except FAULTS as error:
        raise Unreachable(f"{url.host}: {str(error) or type(error).__name__}") from error


def _kept(chunks: Iterable[bytes], most: int) -> tuple[bytes, bool]:
    kept = bytearray()
    for chunk in chunks:
        kept += chunk
        if len(kept) > most:
            return bytes(kept[:most]), True
    return bytes(kept), False
