"""The ASGI application: Django's pages, the live sockets, and the server's lifespan."""

import os
from typing import Any

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "goalsite.settings")
pages = get_asgi_application()  # sets Django up: the imports below need it

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.layers import get_channel_layer  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402
from django.urls import re_path  # noqa: E402

from goals.api.following import Following  # noqa: E402
from goals.chat.routing import websocket_urlpatterns  # noqa: E402


async def lifespan(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Answer the server's start and stop; at the stop, end the listener of the live updates."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            layer = get_channel_layer()
            if hasattr(layer, "close"):
                await layer.close()
            await send({"type": "lifespan.shutdown.complete"})
            return


async def no_such_socket(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Refuse a socket at an address that nobody listens to; the client sees 403."""
    await receive()
    await send({"type": "websocket.close", "code": 4404})


sockets = URLRouter([*websocket_urlpatterns, re_path("", no_such_socket)])
application = ProtocolTypeRouter(
    {
        "http": Following(pages),
        "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(sockets)),
        "lifespan": lifespan,
    }
)
