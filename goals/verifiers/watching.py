"""Watch a process: collect its output, stop it for time or output, and end its whole group in every case."""

import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass

from goals.verifiers.family import count_family

_LOOK_EVERY = 0.1
_TAIL = 64 * 1024


@dataclass(frozen=True)
class Outcome:
    """How it ended: `stopped` is "", "time", "output" or "processes"; `text` is the last part of what it wrote."""

    exit_code: int
    text: str
    seconds: float
    stopped: str


def watch(process: subprocess.Popen[bytes], seconds: float, most_output: int, most_processes: int) -> Outcome:
    """Wait for a process that leads a session of its own; nothing of its group is left behind."""
    started = time.monotonic()
    tail, size, stopped, looked = bytearray(), 0, "", started
    assert process.stdout is not None  # noqa: S101
    fd = process.stdout.fileno()
    os.set_blocking(fd, False)
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(fd, selectors.EVENT_READ)
            ended = False
            while True:
                chunk = _read(fd) if selector.select(0 if ended else 0.05) else b""
                size += len(chunk)
                tail += chunk
                del tail[:-_TAIL]
                if size > most_output:
                    stopped = "output"
                    break
                if time.monotonic() - started > seconds:
                    stopped = "time"
                    break
                if time.monotonic() - looked > _LOOK_EVERY:
                    looked = time.monotonic()
                    if count_family(process.pid, most_processes) > most_processes:
                        stopped = "processes"
                        break
                if ended and not chunk:
                    break
                ended = ended or _has_ended(process)
                if not chunk and not ended:
                    time.sleep(0.01)
    finally:
        end_group(process)
        process.stdout.close()
    return Outcome(process.wait(), tail.decode("utf-8", "replace"), time.monotonic() - started, stopped)


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, 65536)
    except BlockingIOError:
        return b""


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Without reaping it, so that its number still belongs to its group when the group is killed."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and everything it started that is still in its group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
