"""The socket that tells a person, on whatever page, that something else waits for them; the page asks what it is."""

from typing import Any

from goals import announce
from goals.chat.consumers import LiveConsumer


class NeedsConsumer(LiveConsumer):
    """One person's questions, over all their goals."""

    async def subscribe(self, id: str) -> None:
        await self.join(announce.person_group(self.user.pk))

    async def person_needs(self, message: dict[str, Any]) -> None:
        """A question was asked, answered or withdrawn."""
        await self.tell({"type": "needs"})
