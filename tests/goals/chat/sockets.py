"""A client of the live sockets, for tests: speaks ASGI to the routes, as a signed-in person."""

import json
from typing import Any

from asgiref.testing import ApplicationCommunicator
from channels.routing import URLRouter

from goals.chat.routing import websocket_urlpatterns

PATIENCE = 5


class Socket(ApplicationCommunicator):
    """One connection."""

    def __init__(self, user: Any, path: str) -> None:
        scope = {
            "type": "websocket",
            "path": path,
            "user": user,
            "headers": [],
            "query_string": b"",
            "subprotocols": [],
        }
        super().__init__(URLRouter(websocket_urlpatterns), scope)

    async def connect(self) -> bool:
        """Open it; returns whether it was accepted."""
        await self.send_input({"type": "websocket.connect"})
        return (await self.receive_output(PATIENCE))["type"] == "websocket.accept"

    async def send(self, frame: Any = None, *, text: str | None = None, data: bytes | None = None) -> None:
        """Send an object as JSON, or text or bytes as they are."""
        if data is not None:
            await self.send_input({"type": "websocket.receive", "bytes": data})
        else:
            await self.send_input({"type": "websocket.receive", "text": json.dumps(frame) if text is None else text})

    async def frame(self, kind: str | None = None) -> dict[str, Any]:
        """Return the next frame (of a type)."""
        while True:
            frame = json.loads((await self.receive_output(PATIENCE))["text"])
            if kind in (None, frame["type"]):
                return frame

    async def close(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait(PATIENCE)


async def opened(user: Any, path: str) -> Socket:
    """Return an accepted connection."""
    found = Socket(user, path)
    assert await found.connect()
    return found
