"""Postgres's `postmaster.pid`: whether a server of a folder runs, and what a dead one left behind."""

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from goalsite.site_errors import PostgresError

LEFTOVERS = (".s.PGSQL.5432", ".s.PGSQL.5432.lock")


@dataclass(frozen=True)
class PidFile:
    """What the file says: the server's pid when it is a server of this folder, else None."""

    pid: int | None
    exists: bool
    readable: bool
    is_ready: bool


def read(data: Path) -> PidFile:
    """Read the file and check that its pid is a Postgres server of this very folder."""
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return PidFile(None, exists=False, readable=True, is_ready=False)
    pid = int(lines[0]) if lines and lines[0].strip().isdigit() else None
    whole = pid is not None and len(lines) >= 2
    ours = pid if whole and pid and is_server(pid, data) else None
    ready = ours is not None and len(lines) >= 8 and lines[7].strip() == "ready"
    return PidFile(ours, exists=True, readable=whole, is_ready=ready)


def is_server(pid: int, data: Path) -> bool:
    """Whether the process is a Postgres server started with `-D data`."""
    words = _command_line(pid)
    return bool(words) and Path(words[0]).name == "postgres" and str(data) in words


def clear_stale(data: Path, socket: Path, seconds: float = 10) -> None:
    """Remove what a dead server left, once none of its processes is alive; an error when a server of it runs."""
    found = read(data)
    if found.pid is not None:
        raise PostgresError(f"A Postgres that Goalsite did not start (pid {found.pid}) uses {data}: stop it first.")
    deadline = time.monotonic() + seconds
    while inside := processes_in(data):
        if time.monotonic() > deadline:
            raise PostgresError(f"Processes {inside} of a dead Postgres still use {data}: end them first.")
        time.sleep(0.05)
    (data / "postmaster.pid").unlink(missing_ok=True)
    for name in LEFTOVERS:
        (socket / name).unlink(missing_ok=True)


def processes_in(data: Path) -> list[int]:
    """The processes whose working folder is the cluster's: the server's children, which outlive it for a moment."""
    if not Path("/proc/self/cwd").exists():
        return []
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and _working_folder(entry) == str(data)]


def _working_folder(entry: str) -> str:
    try:
        return os.readlink(f"/proc/{entry}/cwd")
    except OSError:
        return ""


def _command_line(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        pass
    if Path("/proc/self").exists():
        return []
    ran = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True)
    return ran.stdout.split()
