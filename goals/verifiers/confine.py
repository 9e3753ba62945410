"""Runs inside the new process, before the command: limits, then as much isolation as the kernel gives without help.

A program of the standard library alone: `confine.py REPORT_FD JSON`. It writes one word for each thing that took
hold (`limits`, `no-network`, `own-processes`, `landlock`) to the descriptor, then becomes the command.
"""

import ctypes
import json
import os
import resource
import struct
import sys

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PR_SET_NO_NEW_PRIVS, _PR_SET_PDEATHSIG, _SIGKILL = 38, 1, 9
_CLONE_NEWUSER, _CLONE_NEWPID, _CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15


def main() -> None:
    """Confine this process by the plan and become its command."""
    report, plan = int(sys.argv[1]), json.loads(sys.argv[2])
    libc = ctypes.CDLL(None, use_errno=True)
    linux = sys.platform == "linux"  # elsewhere the limits are all there is, and the record says so
    if linux:
        libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    limit(plan["limits"])
    done = ["limits"]
    if linux and plan["network"]:
        done += leave_namespaces(libc)
    if linux and plan["readable"] and landlock(libc, plan["readable"], plan["writable"]):
        done.append("landlock")
    os.write(report, " ".join(done).encode())
    os.close(report)
    if "own-processes" in done:
        become_other_process(libc)
    os.chdir(plan["folder"])
    os.execv("/bin/sh", ["/bin/sh", "-c", plan["command"]])  # noqa: S606


def limit(limits: dict) -> None:
    """Lower the limits of CPU seconds, data memory, file size, processes, open files; no core files."""
    for name, value in {**limits, "CORE": 0}.items():
        kind = getattr(resource, f"RLIMIT_{name}", None)
        if kind is None:
            continue
        _, hard = resource.getrlimit(kind)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (most, most))


def leave_namespaces(libc: ctypes.CDLL) -> list:
    """Enter a network of its own, in which there is nothing, and processes of its own, which all end together."""
    for user in (0, _CLONE_NEWUSER):
        if libc.unshare(user | _CLONE_NEWNET | _CLONE_NEWPID) == 0:
            return ["no-network", "own-processes"]
    return []


def become_other_process(libc: ctypes.CDLL) -> None:
    """Go on as the child of process 1 of the new namespace; when process 1 ends, the kernel ends all others.

    Not as process 1 itself, which would not hear signals that it sends to itself.
    """
    for _ in range(2):
        child = os.fork()
        if child:
            _, status = os.waitpid(child, 0)
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)
        libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)


def landlock(libc: ctypes.CDLL, readable: list, writable: list) -> bool:
    """Allow reading beneath `readable` and everything beneath `writable`, and no other file."""
    version = libc.syscall(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    rights = (1 << {1: 13, 2: 14}.get(version, 15 if version < 5 else 16)) - 1
    attributes = ctypes.create_string_buffer(struct.pack("=QQ", rights, 0))
    ruleset = libc.syscall(_CREATE_RULESET, attributes, 8, 0)
    if ruleset < 0:
        return False
    for paths, allowed in ((readable, _READ), (writable, rights)):
        for path in paths:
            _allow(libc, ruleset, path, allowed & rights)
    held = libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 and libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0
    os.close(ruleset)
    return held


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    allowed = rights if os.path.isdir(path) else rights & _FILE_RIGHTS
    rule = ctypes.create_string_buffer(struct.pack("=Qi", allowed, fd))
    libc.syscall(_ADD_RULE, ruleset, 1, rule, 0)
    os.close(fd)


if __name__ == "__main__":
    main()
