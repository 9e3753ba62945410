"""Sending webhooks beside the driving of goals: on threads of their own, so that neither waits for the other."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from goals.connections import pooled
from goals.webhooks.claiming import claim
from goals.webhooks.sending import send

logger = logging.getLogger(__name__)
AT_ONCE = 32
REST_SECONDS = 1.0  # between two looks, when the last one found nothing


class Senders:
    """The deliveries that one worker has in hand. Leaving the block waits for them: each ends within its time."""

    def __init__(self, wants_stop: Callable[[], bool]) -> None:
        self.wants_stop = wants_stop
        self._flying: set[Future[None]] = set()
        self._pool: ThreadPoolExecutor | None = None
        self._looks_at = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True)
            self._collect()

    def look(self) -> bool:
        """Take up deliveries that are due; returns whether any is on its way."""
        landed = self._collect()
        if self.wants_stop() or len(self._flying) >= AT_ONCE:
            return bool(self._flying)
        if landed or time.monotonic() >= self._looks_at:
            found = self._take()
            self._looks_at = time.monotonic() + (0.0 if found else REST_SECONDS)
        return bool(self._flying)

    def _take(self) -> int:
        with pooled():
            found = claim(AT_ONCE - len(self._flying))
        for one in found:
            self._pool = self._pool or ThreadPoolExecutor(AT_ONCE, "webhook")
            self._flying.add(self._pool.submit(send, one))
        return len(found)

    def _collect(self) -> int:
        landed = [future for future in self._flying if future.done()]
        for future in landed:
            self._flying.discard(future)
            error = future.exception()
            if error is not None:
                logger.error("a delivery could not be sent; it is taken up again later", exc_info=error)
        return len(landed)
