"""Live updates over LISTEN/NOTIFY, between real processes."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator

import psycopg
import pytest
from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.db import connection, transaction

from goalsite import live, plain_connection
from goalsite.children import BASE_DIR
from goalsite.live import NotifyChannelLayer
from goalsite.models import LiveMessage
from tests.goalsite.processes import eventually

pytestmark = pytest.mark.django_db(transaction=True)
PUBLISH = """import django; django.setup()
import sys; from goalsite.live import publish
for number in range(int(sys.argv[1])):
    publish("room", {"type": "live.event", "number": number, "text": "x" * int(sys.argv[2])})"""


@pytest.fixture
async def layer() -> AsyncIterator[NotifyChannelLayer]:
    found = NotifyChannelLayer()
    yield found
    await found.close()


async def receive(layer: NotifyChannelLayer, channel: str) -> dict:
    return await asyncio.wait_for(layer.receive(channel), 60)


async def silence(layer: NotifyChannelLayer, channel: str) -> bool:
    try:
        await asyncio.wait_for(layer.receive(channel), 0.3)
    except TimeoutError:
        return True
    return False


def end_listeners() -> int:
    with psycopg.connect(**plain_connection.parameters(), autocommit=True) as other:
        return other.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE query LIKE 'LISTEN goalsite_live%' AND datname = current_database()"
        ).fetchone()[0]


async def test_what_another_process_publishes_arrives_in_order(layer, site_environment):
    await layer.group_add("room", "specific.a!1")
    await layer.group_add("room", "specific.b!2")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PUBLISH, "20", "10", cwd=BASE_DIR, env=site_environment
    )
    for channel in ("specific.a!1", "specific.b!2"):
        assert [(await asyncio.wait_for(layer.receive(channel), 60))["number"] for _ in range(20)] == list(range(20))
    assert await process.wait() == 0


async def test_long_messages_travel_as_rows(layer, site_environment):
    await layer.group_add("room", "specific.a!1")
    ran = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", PUBLISH, "5", "9000"], cwd=BASE_DIR, env=site_environment
    )
    assert ran.returncode == 0
    found = [await receive(layer, "specific.a!1") for _ in range(5)]
    assert [(message["number"], len(message["text"])) for message in found] == [(n, 9000) for n in range(5)]
    assert await LiveMessage.objects.acount() == 5


async def test_old_long_messages_are_swept_by_new_ones(layer):
    await layer.group_send("room", {"type": "t", "text": "x" * 9000})

    @database_sync_to_async
    def age() -> None:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE goalsite_livemessage SET created_at = now() - interval '1 hour'")

    await age()
    await layer.group_send("room", {"type": "t", "text": "x" * 9000})
    assert await LiveMessage.objects.acount() == 1


@pytest.mark.parametrize("text", ["short", "x" * 9000])
async def test_a_publication_is_part_of_its_transaction(layer, text):
    await layer.group_add("room", "specific.a!1")

    @database_sync_to_async
    def publish_and_roll_back() -> None:
        with transaction.atomic():
            live.publish("room", {"type": "t", "text": text})
            transaction.set_rollback(True)

    await publish_and_roll_back()
    assert await silence(layer, "specific.a!1")
    await database_sync_to_async(live.publish)("room", {"type": "t", "text": text})
    assert (await receive(layer, "specific.a!1"))["text"] == text


async def test_after_a_lost_connection_consumers_are_told_to_read_again(layer):
    await layer.group_add("room", "specific.a!1")
    assert await sync_to_async(end_listeners)() == 1
    assert await receive(layer, "specific.a!1") == {"type": "live.resync"}
    await layer.group_send("room", {"type": "t", "number": 1})
    assert (await receive(layer, "specific.a!1"))["number"] == 1


async def test_a_slow_consumer_is_told_to_read_again_instead_of_losing_messages_unnoticed():
    layer = NotifyChannelLayer(capacity=10)
    await layer.group_add("room", "specific.a!1")
    await layer.group_add("room", "specific.b!2")
    for number in range(15):
        await layer.group_send("room", {"type": "t", "number": number})
        assert (await receive(layer, "specific.b!2"))["number"] == number
    assert await receive(layer, "specific.a!1") == {"type": "live.resync"}
    assert [(await receive(layer, "specific.a!1"))["number"] for _ in range(4)] == [11, 12, 13, 14]
    await layer.close()


async def test_the_listener_ends_with_its_last_member(layer):
    await layer.group_add("room", "specific.a!1")
    await layer.group_add("other", "specific.a!1")
    await layer.group_discard("room", "specific.a!1")
    assert await sync_to_async(listeners)() == 1
    await layer.group_discard("other", "specific.a!1")
    await sync_to_async(eventually)(lambda: listeners() == 0, 60, "its backend has gone")
    await layer.group_add("room", "specific.a!1")
    await layer.group_send("room", {"type": "t"})
    assert await receive(layer, "specific.a!1") == {"type": "t"}


def listeners() -> int:
    with psycopg.connect(**plain_connection.parameters()) as other:
        return other.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN goalsite_live%' "
            "AND datname = current_database()"
        ).fetchone()[0]
