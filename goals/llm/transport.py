"""The wire under the openai client: a deadline for the whole reply, and no paying twice behind our back.

The client repeats calls by itself. That is right where nothing was done (connection refused, 429, 5xx) and wrong
where the endpoint may have done the work: a reply that timed out or broke off is told at once, as the client's own
error, which it does not repeat; the caller's next attempt is then reserved and journalled as a new effect. A long
Retry-After is told too, since waiting is the goal's state and not a sleeping thread.
"""

import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2
import openai

PATIENCE_SECONDS = 5.0
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_BROKEN = (httpx2.ReadError, httpx2.RemoteProtocolError)


class HonestTransport(httpx2.BaseTransport):
    """Sends a request once; see the module's docstring."""

    def __init__(self, inner: httpx2.BaseTransport):
        self._inner = inner

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        allowed = request.extensions.get("timeout", {}).get("read")
        deadline = time.monotonic() + allowed if allowed is not None else None
        try:
            response = self._inner.handle_request(request)
        except httpx2.ReadTimeout as error:
            raise openai.APITimeoutError(request=request) from error
        except _BROKEN as error:
            raise openai.APIConnectionError(message=_cut(error), request=request) from error
        response.stream = _DeadlineStream(response.stream, request, deadline)
        if (retry_after(response.headers) or 0) > PATIENCE_SECONDS:
            response.headers["x-should-retry"] = "false"
        return response

    def close(self) -> None:
        self._inner.close()


class _DeadlineStream(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, request: httpx2.Request, deadline: float | None):
        self._inner = inner
        self._request = request
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        try:
            for chunk in self._inner:
                if self._deadline is not None and time.monotonic() > self._deadline:
                    raise openai.APITimeoutError(request=self._request)
                yield chunk
        except httpx2.ReadTimeout as error:
            raise openai.APITimeoutError(request=self._request) from error
        except _BROKEN as error:
            raise openai.APIConnectionError(message=_cut(error), request=self._request) from error

    def close(self) -> None:
        self._inner.close()


def retry_after(headers: httpx2.Headers) -> float | None:
    """Seconds that the endpoint asks us to wait, when it says so: in seconds, or as the date when to come again."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * scale
        except ValueError:
            continue
        if 0 <= seconds < 86_400:
            return seconds
    return _seconds_until(headers.get("retry-after", ""))


def _seconds_until(date: str) -> float | None:
    try:
        seconds = parsedate_to_datetime(date).timestamp() - time.time()
    except ValueError:
        return None
    return max(seconds, 0.0) if seconds < 86_400 else None


def http_client(base_url: str) -> httpx2.Client:
    """A client for this endpoint. The environment's proxy and certificates count, but never for loopback."""
    address = urlsplit(base_url)
    local = address.hostname in LOOPBACK
    proxy = None if local or proxy_bypass(address.hostname or "") else getproxies().get(address.scheme)
    limits = httpx2.Limits(max_connections=256, max_keepalive_connections=64, keepalive_expiry=30)
    inner = httpx2.HTTPTransport(limits=limits, proxy=proxy, trust_env=not local)
    return openai.DefaultHttpxClient(transport=HonestTransport(inner), trust_env=False)


def _cut(error: Exception) -> str:
    return f"the connection was cut: {error}"
