"""A client of the live sockets, for tests: speaks ASGI to the routes, as a signed-in person."""

import json
from typing import Any

from asgiref.testing import ApplicationCommunicator
from channels.routing import URLRouter

from goals.chat.routing import websocket_urlpatterns

PATIENCE = 30


class Socket(ApplicationCommunicator):
    """One connection."""

    def __init__(self, user: Any, path: str, session: Any = None) -> None:
        scope = {
            "type": "websocket",
            "path": path,
            "user": user,
            "headers": [],
            "query_string": b"",
            "subprotocols": [],
            "session": session,
        }
        super().__init__(URLRouter(websocket_urlpatterns), scope)

    async def connect(self) -> dict[str, Any]:
        """Open it; returns the hello, or `{"code": …}` with which it was closed at once."""
        await self.send_input({"type": "websocket.connect"})
        assert (await self.receive_output(PATIENCE))["type"] == "websocket.accept"
        first = await self.receive_output(PATIENCE)
        return json.loads(first["text"]) if first["type"] == "websocket.send" else {"code": first["code"]}

    async def closed(self) -> int:
        """Return the code with which the site closes it; what it says before is passed over."""
        while True:
            told = await self.receive_output(PATIENCE)
            if told["type"] == "websocket.close":
                return told["code"]

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


async def opened(user: Any, path: str, session: Any = None) -> Socket:
    """Return a connection that was welcomed."""
    found = Socket(user, path, session)
    assert (await found.connect()).get("type") == "hello"
    return found
