"""Looking at real processes, for the tests that kill them."""

import os
import time
from collections.abc import Callable
from pathlib import Path


def command_line(pid: int) -> str:
    """The process's command line; empty when it is gone or a zombie."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").replace("\0", " ").strip()
    except OSError:
        return ""


def parent(pid: int) -> int:
    """The process's parent; 0 when it is gone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def all_pids() -> list[int]:
    """Every process there is."""
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def children(pid: int) -> list[int]:
    """Its living children, oldest first."""
    return sorted(found for found in all_pids() if parent(found) == pid and command_line(found))


def family(pid: int) -> list[int]:
    """Its living descendants."""
    found = children(pid)
    for member in found:
        found.extend(children(member))
    return found


def mentioning(text: str) -> list[int]:
    """The living processes whose command line mentions the text, this one excepted."""
    return [pid for pid in all_pids() if pid != os.getpid() and text in command_line(pid)]


def in_environment(text: str) -> list[int]:
    """The living processes whose environment mentions the text."""
    return [pid for pid in all_pids() if pid != os.getpid() and text in _environment(pid) and command_line(pid)]


def _environment(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def eventually(happened: Callable[[], object], seconds: float, what: str) -> None:
    """Wait until it happened; fail when it did not in time."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.05)
