"""Asking an ASGI application within the server, as if a client did."""

import asyncio
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode

FOUND = "goals.api.found"  # where a view puts what it found, for who asked within the server


@dataclass
class Answer:
    """A whole answer; `found` is what the view left for its asker, None where it refused."""

    code: int = 500
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""
    found: dict[str, Any] | None = None

    async def pass_on(self, send: Any) -> None:
        """Send it to the client."""
        await send({"type": "http.response.start", "status": self.code, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": False})


async def ask(application: Any, scope: dict[str, Any]) -> Answer:
    """Return what the application answers to a request without a body. Who is cancelled lets it come to an end."""
    answer, found = Answer(), {}
    asked: list[bool] = []

    async def receive() -> dict[str, Any]:
        if asked:
            await asyncio.Event().wait()  # never told that the client has gone, Django closes what it opened
        asked.append(True)
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            answer.code, answer.headers = message["status"], list(message["headers"])
        else:
            answer.body += message.get("body", b"")

    work = asyncio.ensure_future(application({**scope, FOUND: found}, receive, send))
    try:
        await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work])
        raise
    answer.found = found if answer.code in (200, 304) and found else None
    return answer


def tell(request: Any, **found: Any) -> None:
    """Leave what a view found for who asks within the server, if anybody does."""
    getattr(request._request, "scope", {}).get(FOUND, {}).update(found)


def query_of(scope: dict[str, Any]) -> dict[str, list[str]]:
    """Return the parameters of a request's query."""
    return parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def with_query(scope: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """Return the request with some parameters set."""
    query = {**query_of(scope), **{name: [str(value)] for name, value in changed.items()}}
    return {**scope, "query_string": urlencode(query, doseq=True).encode()}


def with_accept(scope: dict[str, Any], kind: bytes) -> dict[str, Any]:
    """Return the request as one for another kind of answer."""
    headers = [(name, kind if name == b"accept" else value) for name, value in scope["headers"]]
    return {**scope, "headers": headers}
