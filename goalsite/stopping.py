"""Whether this cluster of workers was asked to stop: one shared byte, read by tasks in every worker process.

It has no lock, so no process that dies can hold it. `goals` finds `asked` through `settings.GOALSITE_STOP_ASKED`.
"""

import ctypes
import multiprocessing

_flag = multiprocessing.RawValue(ctypes.c_byte, 0)


def ask() -> None:
    """Ask every process of the cluster to end the task in hand at its next safe point."""
    _flag.value = 1


def asked() -> bool:
    """Whether the tasks in hand should end soon."""
    return bool(_flag.value)
