"""Run a shell command away from the site: no network, no environment, no secrets, within limits.

`bubblewrap` where it works; else the weaker level that the kernel gives to `confine.py`. The level that really ran is
recorded in the result, such as `bubblewrap limits` or `limits no-network own-processes landlock`.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from goals.tools.workspace import hidden_folders
from goals.verifiers import confine
from goals.verifiers.errors import SandboxError
from goals.verifiers.watching import Outcome, watch

# Programs and libraries; nothing in these is the site's.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt/homebrew")
_ETC = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "passwd", "group", "nsswitch.conf", "hosts")
_ETC += ("localtime", "mime.types", "ssl", "ca-certificates", "magic", "gitconfig", "python3")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


@dataclass(frozen=True)
class Limits:
    """What a command may use; `memory` is data memory of each process, in bytes."""

    seconds: float = 120.0
    cpu_seconds: int = 120
    memory: int = 2 << 30
    file_size: int = 1 << 30
    processes: int = 512
    output: int = 16 << 20

    def values(self) -> dict[str, int]:
        """As `confine.py` sets them."""
        shared = {"CPU": self.cpu_seconds, "DATA": self.memory, "FSIZE": self.file_size, "NOFILE": 1024}
        return shared | {"NPROC": self.processes}


@dataclass(frozen=True)
class SandboxResult:
    """How a command ended. `exit_code` is None when it was stopped; `stopped` says why: time, output or processes."""

    exit_code: int | None
    output: str
    isolation: str
    seconds: float
    stopped: str = ""
    details: dict[str, object] = field(default_factory=dict)


def run_command(
    command: str, root: str, folder: str = ".", limits: Limits | None = None, *, bubblewrap: bool | None = None
) -> SandboxResult:
    """Run the command in `folder` of the workspace `root`; `bubblewrap` False forces the weaker level."""
    limits = limits or Limits()
    root = os.path.realpath(root)
    inside = os.path.realpath(os.path.join(root, folder))
    if root == "/" or not Path(inside).is_relative_to(root) or not os.path.isdir(inside):
        raise SandboxError("The folder of the command must be a folder in the workspace (which is not /).")
    use = has_bubblewrap() if bubblewrap is None else bubblewrap
    with tempfile.TemporaryDirectory(prefix="goalsite-sandbox-") as home:
        if use:
            return _in_bubblewrap(command, root, inside, limits)
        return _confined(command, root, inside, home, limits)


def wrapped(
    words: list[str],
    room: str,
    report: int,
    *,
    folder: str = "",
    network: bool = False,
    limits: Limits | None = None,
    bubblewrap: bool | None = None,
) -> list[str]:
    """The words that start a program which talks on its pipes; it writes only in `room` and reads `folder`, too.

    It is started with `environment(room)` and the descriptor `report`, which is told what took hold.
    """
    if folder and any(Path(path).is_relative_to(os.path.realpath(folder)) for path in hidden_folders()):
        raise SandboxError("The folder of the command must not hold the site's data.")
    command = f"exec {shlex.join(words)}"
    plan: dict[str, object] = {"command": command, "folder": folder or room}
    limits = limits or Limits()
    if has_bubblewrap() if bubblewrap is None else bubblewrap:
        plan |= {"limits": limits.values(), "network": False, "readable": [], "writable": []}
        start = [word for word in _bubblewrap(room) if word != "--clearenv"]
        start += ["--ro-bind", folder, folder] if folder else []
        start += ["--share-net", "--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf"] if network else []
        start += ["--"]
    else:
        readable = [
            *_SYSTEM,
            *(f"/etc/{name}" for name in (*_ETC, "resolv.conf")),
            *_python(),
            *([folder] if folder else []),
        ]
        plan |= {"limits": limits.values() | {"NPROC": 4096}, "network": not network}
        plan |= {"readable": readable, "writable": [room, *_DEVICES]}
        start = []
    return [*start, sys.executable, "-I", "-S", "-c", _source(), str(report), json.dumps(plan)]


def environment(room: str) -> dict[str, str]:
    """What such a program is told: nothing of the site's."""
    return _environment() | {"HOME": room, "TMPDIR": room}


def _in_bubblewrap(command: str, root: str, folder: str, limits: Limits) -> SandboxResult:
    plan = {"command": command, "folder": folder, "limits": limits.values(), "network": False}
    plan |= {"readable": [], "writable": []}
    start = [*_bubblewrap(root), "--", sys.executable, "-I", "-S", "-c", _source()]
    return _launch(start, plan, "/", {}, limits, "bubblewrap")


def _confined(command: str, root: str, folder: str, home: str, limits: Limits) -> SandboxResult:
    if any(Path(path).is_relative_to(root) for path in hidden_folders()):
        raise SandboxError("The workspace holds the site's data folder; commands there need bubblewrap.")
    readable = [*_SYSTEM, *(f"/etc/{name}" for name in _ETC), *_python()]
    plan = {"command": command, "folder": folder, "limits": limits.values() | {"NPROC": 4096}, "network": True}
    plan |= {"readable": readable, "writable": [root, home, *_DEVICES]}
    return _launch(
        [sys.executable, "-I", "-S", "-c", _source()], plan, root, {"HOME": home, "TMPDIR": home}, limits, ""
    )


def _launch(
    start: list[str], plan: dict[str, object], cwd: str, environment: dict[str, str], limits: Limits, level: str
) -> SandboxResult:
    """Start it in a session of its own; its report tells what took hold."""
    reading, writing = os.pipe()
    try:
        process = subprocess.Popen(
            [*start, str(writing), json.dumps(plan)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=_environment() | environment,
            start_new_session=True,
            pass_fds=(writing,),
        )
    except OSError as error:
        os.close(reading)
        raise SandboxError(f"The sandbox could not be started: {error}.") from error
    finally:
        os.close(writing)
    outcome = watch(process, limits.seconds, limits.output, limits.processes)
    with os.fdopen(reading, "rb") as report:
        took_hold = report.read(200).decode()
    return _result(outcome, f"{level} {took_hold}".strip(), took_hold)


def _result(outcome: Outcome, isolation: str, took_hold: str) -> SandboxResult:
    if not took_hold and not outcome.stopped:
        raise SandboxError(f"The sandbox could not be set up: {outcome.text[-500:]}")
    ended = outcome.exit_code if outcome.exit_code >= 0 else 128 - outcome.exit_code
    code = None if outcome.stopped else ended
    return SandboxResult(code, outcome.text, isolation, outcome.seconds, outcome.stopped)


def _bubblewrap(root: str) -> list[str]:
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    for name, value in (_environment() | {"HOME": "/tmp", "TMPDIR": "/tmp"}).items():  # noqa: S108
        words += ["--setenv", name, value]
    words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]  # noqa: S108
    for path in (*_SYSTEM, *(f"/etc/{name}" for name in _ETC)):
        if os.path.islink(path) and path in _SYSTEM:
            words += ["--symlink", os.readlink(path), path]
        else:
            words += ["--ro-bind-try", path, path]
    for path in _python():
        words += ["--ro-bind-try", path, path]
    words += ["--bind", root, root]
    for path in hidden_folders():
        if path != root and Path(path).is_relative_to(root) and os.path.isdir(path):
            words += ["--tmpfs", path]
    return words


def _python() -> list[str]:
    """Where this Python lives, when that is not among the system's folders; the site's own code is not there."""
    found = dict.fromkeys((sys.prefix, sys.base_prefix, os.path.realpath(sys.base_prefix)))
    return [path for path in found if not path.startswith("/usr/") and path not in ("/", "/usr")]


def _environment() -> dict[str, str]:
    path = [f"{sys.prefix}/bin", "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"]
    return {"PATH": ":".join(path), "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}


@cache
def _source() -> str:
    return Path(confine.__file__).read_text(encoding="utf-8")


@cache
def has_bubblewrap() -> bool:
    """Whether bubblewrap is here and works (it may be forbidden, as in some containers)."""
    if shutil.which("bwrap") is None:
        return False
    try:
        start = [*_bubblewrap(tempfile.gettempdir()), "--", "/bin/true"]
        return subprocess.run(start, capture_output=True, timeout=20, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
