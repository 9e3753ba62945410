"""The moments at which a drill strikes this process: `reach("after", "drill_external")` may be the last thing it does.

What strikes is one `Strike` per process; it strikes once, whatever is repeated, because it leaves a mark on disk.
"""

import os
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Strike:
    """Send `signal` to ourselves when `what` (a tool, or a prompt) reaches `point`.

    The points: before, after (the effect), recording (inside the transaction), recorded.
    """

    what: str
    point: str
    mark: str
    signal: int = 9


_strike: Strike | None = None


def arm(strike: Strike | None) -> None:
    global _strike
    _strike = strike


def reach(point: str, what: str) -> None:
    if _strike is None or (_strike.point, _strike.what) != (point, what):
        return
    try:
        os.close(os.open(_strike.mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), _strike.signal)
    time.sleep(0.2)  # a stop takes effect a moment later; nothing more is done until the thaw
