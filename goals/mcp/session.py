"""One session with an MCP server: connect, look at its tools, call one of them at most, hang up.

Nothing is kept between calls, so that a crash leaves nothing behind. The SDK speaks the protocol; over HTTP it does so
through the door. A call leaves once, without the SDK's own repeats: what becomes of it is the journal's to settle.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2
import mcp_types as types
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from pydantic import TypeAdapter, ValidationError

from goals.door.client import JudgedTransport
from goals.door.errors import DoorError
from goals.mcp import commands, results, taming
from goals.mcp.errors import McpFault, NotAsLetIn, SaidNo, TookTooLong
from goals.mcp.listing import Said
from goals.mcp.places import Place
from goals.verifiers.errors import SandboxError

MOST_BYTES = 8 << 20
MOST_PAGES = 20
MOST_TOOLS = 500
REFUSING_STATUSES = (400, 401, 403, 404, 405, 406, 415, 429)
REFUSALS = (types.METHOD_NOT_FOUND, types.INVALID_PARAMS)
RESULT: TypeAdapter[Any] = TypeAdapter(types.CallToolResult | types.InputRequiredResult)
WHO = types.Implementation(name="goalsite", version="1")


@dataclass
class Trip:
    """How far a session got: what is done cannot be taken back by how it ends."""

    place: Place
    secret: str = ""
    transport: JudgedTransport | None = None
    sent: bool = False
    outcome: Any = None


def look(place: Place, seconds: float) -> tuple[str, list[Said]]:
    """Return how a server introduces itself, and all its tools; raises McpFault."""
    return _run(Trip(place), _look, seconds)


def call(
    place: Place, said_name: str, arguments: dict[str, Any], *, is_known: Callable[[Said], bool], seconds: float
) -> types.CallToolResult:
    """Call a tool once, if the server still tells of it as of one that `is_known`; raises McpFault."""

    async def perform(client: Client, trip: Trip) -> None:
        introduced_as, told = await _listed(client)
        same = [one for one in told if one.name == said_name]
        if len(same) != 1 or not is_known(same[0]):
            what = "tells of it differently than when it was let in" if same else "has it no more"
            raise NotAsLetIn(f"the server {place.name} {what}; nothing was called", introduced_as, told)
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=said_name, arguments=arguments))
        trip.sent = True
        trip.outcome = await client.session.send_request(request, RESULT)

    result = _run(Trip(place), perform, seconds)
    if isinstance(result, types.InputRequiredResult):
        raise SaidNo(f"the server {place.name} wants to ask somebody something first, which nobody answers here")
    return result


async def _look(client: Client, trip: Trip) -> None:
    trip.outcome = await _listed(client)


async def _listed(client: Client) -> tuple[str, list[Said]]:
    told: list[Said] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
        told += map(_said, page.tools)
        cursor = page.next_cursor
        if not cursor or len(told) > MOST_TOOLS:
            break
    if cursor or len(told) > MOST_TOOLS:
        raise McpFault(f"it has more than {MOST_TOOLS} tools, or too many pages of them", retryable=False)
    info = client.server_info
    return f"{info.name} {info.version}".strip() if info else "", told


def _said(tool: types.Tool) -> Said:
    hints = tool.annotations.model_dump(by_alias=True, exclude_none=True) if tool.annotations else {}
    return Said(tool.name, tool.description or "", tool.input_schema, hints)


def _run(trip: Trip, perform: Callable[[Client, Trip], Coroutine[Any, Any, None]], seconds: float) -> Any:
    """Run a session on a loop of its own; what it came to counts, however it ended afterwards."""
    trip.secret = trip.place.secret()
    try:
        asyncio.run(_session(trip, perform, seconds))
    except Exception as error:  # the SDK raises groups of whatever its tasks met
        if trip.outcome is None:
            raise _fault(trip, error) from error
    return trip.outcome


async def _session(trip: Trip, perform: Any, seconds: float) -> None:
    with anyio.fail_after(seconds):
        async with _connected(trip, seconds) as client:
            await perform(client, trip)


@asynccontextmanager
async def _connected(trip: Trip, seconds: float) -> AsyncIterator[Client]:
    place = trip.place
    if not place.is_http:
        pipes = commands.started(place, MOST_BYTES)
        async with Client(pipes, client_info=WHO, cache=None) as client:
            yield client
        return
    trip.transport = JudgedTransport(place.address, seconds=seconds, most=MOST_BYTES, private=place.allow_private)
    http = httpx2.AsyncClient(
        transport=trip.transport,
        headers={"User-Agent": "Goalsite", **place.headers()},
        timeout=seconds,
        trust_env=False,
    )
    async with http:
        wire = streamable_http_client(place.address, http_client=http, max_sse_event_size=MOST_BYTES)
        async with Client(wire, client_info=WHO, cache=None) as client:
            yield client


def _fault(trip: Trip, error: Exception) -> McpFault:
    """Return what a session died of, in the words of this room."""
    found = _innermost(error)
    name, sent = trip.place.name, trip.sent
    if isinstance(found, McpFault):
        return found
    door = trip.transport.failure if trip.transport else None
    status = trip.transport.statuses[-1] if trip.transport and trip.transport.statuses else 0
    if isinstance(found, TimeoutError):
        return TookTooLong(f"the server {name} did not answer in time", sent=sent)
    if isinstance(found, DoorError) or door is not None:
        cause = found if isinstance(found, DoorError) else door
        return McpFault(f"the server {name}: {cause}", retryable=cause.retryable, sent=sent)
    if status in REFUSING_STATUSES:
        return SaidNo(f"the server {name} answers with {status}{_remedy(status)}", retryable=status == 429)
    if isinstance(found, MCPError):
        if found.code == types.PARSE_ERROR:
            return McpFault(f"the server {name} answers what is no MCP", retryable=False, sent=sent)
        told = f"the server {name} answers: {taming.line(results.without(trip.secret, found.message), 300)}"
        return SaidNo(told) if found.code in REFUSALS else McpFault(told, sent=sent)
    if isinstance(found, SandboxError | OSError):
        return McpFault(f"the server {name} cannot be started: {found}", sent=sent)
    if isinstance(found, ValidationError | ValueError):
        return McpFault(f"the server {name} answers what is no MCP", retryable=False, sent=sent)
    return McpFault(f"the server {name}: {type(found).__name__}", sent=sent)


def _remedy(status: int) -> str:
    return ": is its secret the right one?" if status in (401, 403) else ""


def _innermost(error: BaseException) -> BaseException:
    """Return the error that a group was raised for: our own words before others'."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    inner = [_innermost(one) for one in error.exceptions]
    ours = [one for one in inner if isinstance(one, McpFault | DoorError)]
    return (ours or inner)[0]
