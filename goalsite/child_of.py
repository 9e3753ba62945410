"""Children that do not outlive their parent, where the kernel can promise it (Linux)."""

import ctypes
import sys
from collections.abc import Callable

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def die_with_parent(signal_number: int) -> Callable[[], None]:
    """A function for the child to call: it gets the signal when the thread that made it ends, however it ends."""

    def ask() -> None:
        if LIBC is not None:
            LIBC.prctl(PR_SET_PDEATHSIG, signal_number)

    return ask
