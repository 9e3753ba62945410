"""A walk through the live sockets as everybody: who is welcomed is what the table says."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.contrib.auth.models import AnonymousUser

from tests.access import routes, table
from tests.access.test_walk import RULES, Line, place
from tests.access.world import build
from tests.goals.chat.sockets import Socket

pytestmark = pytest.mark.django_db(transaction=True)
CLOSED = {4401: "login", 4404: "hidden"}


@pytest.fixture(autouse=True)
async def layer() -> AsyncIterator[None]:
    yield
    await get_channel_layer().close()


def test_every_socket_of_the_site_is_in_the_table():
    assert sorted(routes.sockets()) == sorted({line[1] for line in table.SOCKETS})


async def test_nobody_is_welcomed_whom_the_table_does_not_name(settings, tmp_path):
    settings.GOALSITE_DATA_DIR = tmp_path
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    world = await database_sync_to_async(build, thread_sensitive=False)(tmp_path)
    people: dict[str, Any] = {"nobody": AnonymousUser(), **world.people}
    wrong = []
    for line in (Line(*told) for told in table.SOCKETS):
        path = routes.filled(line.address, {name: place(world, value) for name, value in line.places.items()})
        for who in people.keys() & RULES[line.rule].keys():
            socket = Socket(people[who], path)
            first = await socket.connect()
            met = "yes" if first.get("type") == "hello" else CLOSED[first["code"]]
            await socket.close()
            if met != RULES[line.rule][who]:
                wrong.append(f"{who}: {path}: {met}, the table says {RULES[line.rule][who]}")
    assert not wrong, "\n" + "\n".join(wrong)
