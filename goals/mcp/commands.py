"""A server that is a command: started for one session in the sandbox, spoken with on its pipes, ended with its group.

The SDK's own transport reads a line of any length and hands on a part of the site's environment; this one does not.
"""

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

from goals.mcp.errors import McpFault
from goals.mcp.places import Place
from goals.verifiers.sandbox import Limits, environment, wrapped

CHUNK = 1 << 16
GRACE_SECONDS = 1.0  # to end by itself once nobody speaks with it


@asynccontextmanager
async def started(place: Place, most: int) -> AsyncIterator[tuple[Any, Any]]:
    """Run a server's command, and yield the streams that the SDK reads and writes; `most` bytes are read."""
    with tempfile.TemporaryDirectory(prefix="goalsite-mcp-") as room:
        process = await _start(place, room)
        incoming, read_stream = anyio.create_memory_object_stream[Any](0)
        write_stream, outgoing = anyio.create_memory_object_stream[Any](0)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_read, process, incoming, most, place.name)
                tasks.start_soon(_write, process, outgoing)
                try:
                    yield read_stream, write_stream
                finally:
                    tasks.cancel_scope.cancel()
        finally:
            for stream in (incoming, read_stream, write_stream, outgoing):
                stream.close()
            with anyio.CancelScope(shield=True):
                await _end(process)


async def _start(place: Place, room: str) -> asyncio.subprocess.Process:
    report = os.open(os.devnull, os.O_WRONLY)
    limits = Limits(seconds=place.timeout_seconds, cpu_seconds=2 * place.timeout_seconds)
    try:
        words = wrapped(place.words, room, report, folder=place.folder, network=place.allow_private, limits=limits)
        return await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=room,
            env=environment(room) | place.variables(),
            start_new_session=True,
            pass_fds=(report,),
        )
    finally:
        os.close(report)


async def _read(process: asyncio.subprocess.Process, incoming: Any, most: int, name: str) -> None:
    """Hand on one message a line; what is none is told as an error."""
    buffer, read, searched = bytearray(), 0, 0
    with incoming, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        while chunk := await process.stdout.read(CHUNK):
            read += len(chunk)
            if read > most:
                raise McpFault(f"the server {name} answers with more than {most:,} bytes", retryable=False, sent=True)
            buffer += chunk
            while (end := buffer.find(b"\n", searched)) >= 0:
                line, buffer, searched = bytes(buffer[:end]), buffer[end + 1 :], 0
                if line.strip():
                    await incoming.send(_message(line))
            searched = len(buffer)


def _message(line: bytes) -> Any:
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def _write(process: asyncio.subprocess.Process, outgoing: Any) -> None:
    with outgoing, suppress(ConnectionError):
        async for message in outgoing:
            line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.stdin.write(line.encode() + b"\n")
            await process.stdin.drain()


async def _end(process: asyncio.subprocess.Process) -> None:
    """Let it end, or end it and all of its group."""
    process.stdin.close()
    try:
        await _ended(process)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await _ended(process)
    finally:
        process._transport.close()  # else its pipes are closed when somebody collects them


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Await its end for a while; `wait()` would await the end of its output as well, which nobody reads any more."""
    with anyio.move_on_after(GRACE_SECONDS):
        while process.returncode is None:
            await anyio.sleep(0.01)
