"""A reply as it is written, sent to whoever watches: gathered into a few announcements a second, stored nowhere."""

import time
from typing import Any, Self

from goals import announce
from goals.connections import pooled

EVERY_SECONDS = 0.1
LONGEST = 2_000


class TokenStream:
    """Announces pieces of the reply to message `number`; `index` 0 begins a reply anew."""

    def __init__(self, conversation_id: Any, number: int) -> None:
        self.conversation_id = conversation_id
        self.number = number
        self.index = 0
        self._waiting: list[str] = []
        self._sent_at = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._send()

    def hear(self, piece: str) -> None:
        """Take a piece; send what has gathered when it is time."""
        self._waiting.append(piece)
        if time.monotonic() - self._sent_at >= EVERY_SECONDS:
            self._send()

    def _send(self) -> None:
        text = "".join(self._waiting)
        self._waiting.clear()
        for start in range(0, len(text), LONGEST):
            message = {
                "type": "reply.token",
                "conversation": str(self.conversation_id),
                "reply_to": self.number,
                "index": self.index,
                "text": text[start : start + LONGEST],
            }
            with pooled():
                announce.send(announce.conversation_group(self.conversation_id), message)
            self.index += 1
        self._sent_at = time.monotonic()
