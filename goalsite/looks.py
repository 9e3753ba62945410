"""Looking at what may hang: on threads, at most one look of a kind at a time, each waited for so long and no longer."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from typing import Any


class Looks:
    """The looks that are under way. Who asks while one is joins it, so that a hung part holds one thread, not many."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: dict[str, Future[Any]] = {}

    def begin(self, name: str, look: Callable[[], Any]) -> "Future[Any]":
        """Return the look of this name that is under way, begun now if there is none."""
        with self._lock:
            found = self._under_way.get(name)
            if found is None or found.done():
                found = self._under_way[name] = Future()
                threading.Thread(target=_run, args=(look, found), name=f"look-{name}", daemon=True).start()
            return found


def _run(look: Callable[[], Any], future: "Future[Any]") -> None:
    try:
        future.set_result(look())
    except Exception as error:  # handed to whoever waits
        future.set_exception(error)


def by(deadline: float, future: "Future[Any]", otherwise: Any) -> Any:
    """Return what was found by then (monotonic seconds), else `otherwise`; raises what the look raised."""
    try:
        return future.result(timeout=max(0.0, deadline - time.monotonic()))
    except TooLate:
        return otherwise
