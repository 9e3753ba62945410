"""What a process read a moment ago: rows that are asked for at every step and change seldom."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from goals.connections import pooled

FRESH_SECONDS = 1.0
T = TypeVar("T")


class Lately(Generic[T]):
    """A value that is read anew once it is no longer fresh: what others have changed is known within a second."""

    def __init__(self, read: Callable[[], T]) -> None:
        self._read = read
        self._known: tuple[float, T] | None = None

    def get(self) -> T:
        known = self._known
        if known is None or time.monotonic() - known[0] > FRESH_SECONDS:
            read_at = time.monotonic()
            with pooled():
                known = (read_at, self._read())
            self._known = known
        return known[1]

    def forget(self) -> None:
        """Read anew next time: this process has changed something."""
        self._known = None
