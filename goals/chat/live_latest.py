"""The latest events of goals, read once for all sockets of this process that wait for them.

An event never changes and its number has no gap before it, so that what was read for one socket is true for all; what
is not held is read from the table. Who may see a goal is checked where a socket subscribes.
"""

import asyncio
from collections import OrderedDict
from weakref import WeakValueDictionary

from goals.chat import live_reading
from goals.chat.live_reading import Told

MOST_GOALS = 500
KEPT = 20  # events of a goal


class Latest:
    """What was read last, by goal, the goal that was asked for last at the end."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, list[Told]] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def since(self, goal: str, after: int, seq: int) -> list[Told]:
        """Return a page of the events after `after`; `seq` is the one that was announced, so that it is there."""
        found = self._find(goal, after, seq)
        if found:
            return found
        lock = self._locks.setdefault(goal, asyncio.Lock())
        async with lock:
            return self._find(goal, after, seq) or await self._read(goal, after)

    def _find(self, goal: str, after: int, seq: int) -> list[Told]:
        held = self._held.get(goal)
        if not held or held[0].seq > after + 1 or held[-1].seq < seq:
            return []
        self._held.move_to_end(goal)
        return [one for one in held if one.seq > after]

    async def _read(self, goal: str, after: int) -> list[Told]:
        page = await live_reading.events_page(goal, after)
        held = self._held.get(goal, [])
        if page and (not held or page[-1].seq > held[-1].seq):
            before = [one for one in held if one.seq < page[0].seq] if held and held[-1].seq >= after else []
            self._keep(goal, [*before, *page][-KEPT:])
        return page

    def _keep(self, goal: str, held: list[Told]) -> None:
        self._held[goal] = held
        self._held.move_to_end(goal)
        while len(self._held) > MOST_GOALS:
            self._held.popitem(last=False)


latest = Latest()
