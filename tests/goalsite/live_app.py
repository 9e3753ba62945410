"""A site of one live socket, for the tests of the layer in the real server."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "goalsite.settings")
django.setup()

from channels.generic.websocket import AsyncJsonWebsocketConsumer  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402
from django.urls import path  # noqa: E402

from goalsite.asgi import lifespan, pages  # noqa: E402


class Room(AsyncJsonWebsocketConsumer):
    """Passes on what is published to the room."""

    groups = ("room",)

    async def live_event(self, message: dict) -> None:
        """Something happened."""
        await self.send_json(message)

    async def live_resync(self, message: dict) -> None:
        """Something may have been missed."""
        await self.send_json(message)


application = ProtocolTypeRouter(
    {
        "http": pages,
        "websocket": AllowedHostsOriginValidator(URLRouter([path("room/", Room.as_asgi())])),
        "lifespan": lifespan,
    }
)
