"""Waiting for news of a goal: its announcements, from this process's one listener."""

import asyncio
from typing import Any

from channels.layers import get_channel_layer

from goals.announce import goal_group


class GoalNews:
    """From entering on, no announcement is missed (or one says that some were): `wait` returns at the next one."""

    def __init__(self, goal: str) -> None:
        self.goal = goal

    async def __aenter__(self) -> "GoalNews":
        self.layer: Any = get_channel_layer()
        self.channel = await self.layer.new_channel()
        await self.layer.group_add(goal_group(self.goal), self.channel)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.layer.group_discard(goal_group(self.goal), self.channel)

    async def wait(self, seconds: float) -> bool:
        """Return whether there was news before the time was over."""
        try:
            await asyncio.wait_for(self.layer.receive(self.channel), seconds)
        except TimeoutError:
            return False
        return True
