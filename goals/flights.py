"""The effects of one goal that are in flight at once, each on a thread of its own."""

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Self

from goals.connections import released
from goals.decisions import Perform


class Flights:
    """Starts effects and waits for them; leaving the block waits for all that are still in flight."""

    def __init__(self, perform: Callable[[Perform], None]) -> None:
        self._perform = perform
        self._flying: dict[Future[None], Perform] = {}
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._pool is not None:
            with released():
                self._pool.shutdown(wait=True)

    def __len__(self) -> int:
        return len(self._flying)

    def __iter__(self) -> Iterator[Perform]:
        return iter(list(self._flying.values()))

    def __contains__(self, perform: object) -> bool:
        return perform in self._flying.values()

    def start(self, perform: Perform) -> None:
        """Begin an effect on a thread."""
        self._pool = self._pool or ThreadPoolExecutor(max_workers=64, thread_name_prefix="effect")
        self._flying[self._pool.submit(self._perform, perform)] = perform

    def land(self, seconds: float | None) -> list[Perform]:
        """Wait for the first effect to end, at most so long; returns those that did, raises what they raised."""
        with released():
            done, _ = wait(self._flying, timeout=seconds, return_when=FIRST_COMPLETED)
        landed = []
        for future in done:
            landed.append(self._flying.pop(future))
            future.result()
        return landed
