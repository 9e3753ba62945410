"""Live updates over Postgres: a transactional `publish`, and a channel layer that listens once a process.

The socket announces, the table is the truth: after a lost connection, or when a consumer was too slow for its
messages, it gets `{"type": "live.resync"}` and reads the table again.
"""

import asyncio
import json
import logging
from typing import Any

import psycopg
from asgiref.sync import async_to_sync
from channels.db import database_sync_to_async
from channels.exceptions import ChannelFull
from channels.layers import InMemoryChannelLayer, get_channel_layer
from django.db import connections, transaction

from goalsite import plain_connection

log = logging.getLogger(__name__)
CHANNEL = "goalsite_live"
LONGEST = 7900  # bytes; NOTIFY takes 7,999
LONG_PREFIX = "@"
PAUSE = 0.5
PATIENCE = 5.0  # seconds that a new subscriber waits for the listener before it goes on without
LOOK_ALIVE = 30.0
RESYNC = {"type": "live.resync"}
NOTIFY = "SELECT pg_notify(%s, %s)"
NOTIFY_LONG = """WITH old AS (DELETE FROM goalsite_livemessage WHERE created_at < now() - interval '10 minutes'),
put AS (INSERT INTO goalsite_livemessage (body, created_at) VALUES (%s, now()) RETURNING id)
SELECT pg_notify(%s, %s || id) FROM put"""


def publish(group: str, message: dict[str, Any], using: str = "default") -> None:
    """Send a message to a group when the current transaction commits, and not at all if it does not."""
    layer = get_channel_layer()
    if isinstance(layer, NotifyChannelLayer):
        notify(group, message, using)
    else:
        transaction.on_commit(lambda: async_to_sync(layer.group_send)(group, message), using=using, robust=True)


def notify(group: str, message: dict[str, Any], using: str = "default") -> None:
    """`publish` by NOTIFY; a long message travels as a row."""
    body = json.dumps([group, message], separators=(",", ":"))
    with connections[using].cursor() as cursor:
        if len(body) <= LONGEST:
            cursor.execute(NOTIFY, [CHANNEL, body])
        else:
            cursor.execute(NOTIFY_LONG, [body, CHANNEL, LONG_PREFIX])


class NotifyChannelLayer(InMemoryChannelLayer):
    """Groups in memory, fed by one listener a process that lives as long as some group has a member."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listening = asyncio.Event()

    def compose(self, group: str, message: dict[str, Any]) -> tuple[str, str] | None:
        """The channel and body with which a caller may `pg_notify` a message himself; None: it is too long for that."""
        body = json.dumps([group, message], separators=(",", ":"))
        return (CHANNEL, body) if len(body) <= LONGEST else None

    def publish(self, group: str, message: dict[str, Any]) -> None:
        """Send, for synchronous callers, with the commit of their transaction (`goals.announce` looks for this)."""
        notify(group, message)

    async def group_add(self, group: str, channel: str) -> None:
        """Join; from the return on, nothing that is published is missed (or a resync follows)."""
        await super().group_add(group, channel)
        loop = asyncio.get_running_loop()
        if self._task is None or self._task.done() or self._loop is not loop:
            self._loop, self._listening = loop, asyncio.Event()
            self._task = loop.create_task(self._listen(self._listening))
        try:
            await asyncio.wait_for(self._listening.wait(), PATIENCE)
        except TimeoutError:
            log.warning("live updates are away; %s joins and will be told to read again", group)

    async def group_discard(self, group: str, channel: str) -> None:
        """Leave; the last one to leave ends the listener."""
        await super().group_discard(group, channel)
        if not self.groups:
            await self.close()

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """`publish` for asynchronous callers."""
        self.require_valid_group_name(group)
        await database_sync_to_async(notify)(group, message)

    async def close(self) -> None:
        """End the listener."""
        task, self._task = self._task, None
        if task is None or self._loop is not asyncio.get_running_loop():
            return
        task.cancel()
        await asyncio.wait([task])

    async def _listen(self, listening: asyncio.Event) -> None:
        lost = False
        while True:
            waited = asyncio.get_running_loop().time()
            try:
                connection = await psycopg.AsyncConnection.connect(**plain_connection.parameters(), autocommit=True)
                async with connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    late = asyncio.get_running_loop().time() - waited > PATIENCE
                    listening.set()
                    if lost or late:
                        await self._tell_everybody_to_resync()
                    await self._receive(connection)
            except psycopg.OperationalError as error:
                log.warning("live updates lost their connection (%s); connecting again", str(error).strip())
                listening.clear()
                lost = True
                await asyncio.sleep(PAUSE)

    async def _receive(self, connection: psycopg.AsyncConnection) -> None:
        while True:
            waiting = []
            async for notice in connection.notifies(timeout=LOOK_ALIVE, stop_after=1):
                waiting.append(notice.payload)
            if not waiting:
                await connection.execute("SELECT 1")
            for payload in waiting:
                await self._fan_out(connection, payload)

    async def _fan_out(self, connection: psycopg.AsyncConnection, payload: str) -> None:
        if payload.startswith(LONG_PREFIX):
            found = await connection.execute("SELECT body FROM goalsite_livemessage WHERE id = %s", [int(payload[1:])])
            row = await found.fetchone()
            if row is None:
                return await self._tell_everybody_to_resync()
            payload = row[0]
        group, message = json.loads(payload)
        return await self._deliver(group, message)

    async def _deliver(self, group: str, message: dict[str, Any]) -> None:
        for channel in list(self.groups.get(group, ())):
            try:
                await self.send(channel, message)
            except ChannelFull:
                await self._replace_by_resync(channel)

    async def _replace_by_resync(self, channel: str) -> None:
        """A slow consumer's waiting messages give way to one that tells it to read the table."""
        queue = self.channels[channel]
        while not queue.empty():
            queue.get_nowait()
        await self.send(channel, RESYNC)

    async def _tell_everybody_to_resync(self) -> None:
        for group in list(self.groups):
            await self._deliver(group, RESYNC)

    def _clean_expired(self) -> None:
        """Waiting messages do not expire: a slow consumer is told to resync instead of losing its groups."""
