"""Interpreting messages beside the driving of goals: on threads of the worker's own pool, so that neither waits."""

import logging
from collections.abc import Callable
from concurrent.futures import Executor, Future

from goals.chat.interpreter import claim_some, interpret

logger = logging.getLogger(__name__)
AT_ONCE = 8


class Readers:
    """The messages that one worker interprets at the moment."""

    def __init__(self, pool: Executor, wants_stop: Callable[[], bool]) -> None:
        self.pool = pool
        self.wants_stop = wants_stop
        self._flying: set[Future[None]] = set()

    def look(self) -> bool:
        """Take up messages that wait; returns whether any is being interpreted."""
        self._collect()
        if not self.wants_stop() and len(self._flying) < AT_ONCE:
            for claim in claim_some(AT_ONCE - len(self._flying)):
                self._flying.add(self.pool.submit(interpret, claim, self.wants_stop))
        return bool(self._flying)

    def _collect(self) -> None:
        for future in [one for one in self._flying if one.done()]:
            self._flying.discard(future)
            error = future.exception()
            if error is not None:
                logger.error("a message could not be interpreted; it is taken up again later", exc_info=error)
