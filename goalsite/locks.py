"""Locks on files (flock): freed by the kernel however their holder ends. Forked children let go of them."""

import fcntl
import os
from pathlib import Path

_held: set[int] = set()


class Taken(Exception):
    """Somebody else holds the lock."""


class FileLock:
    """A lock on one file, held from `take` to `free`; `take` again changes between shared and exclusive."""

    def __init__(self, file: Path) -> None:
        self.handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        _held.add(self.handle)

    def take(self, *, shared: bool = False, wait: bool = True) -> "FileLock":
        """Take the lock; `Taken` when it is not free and one does not want to wait."""
        try:
            fcntl.flock(self.handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise Taken from None
        return self

    def free(self) -> None:
        """Let go; the file stays."""
        _held.discard(self.handle)
        os.close(self.handle)

    def survive_exec(self) -> int:
        """Keep the lock through the next `exec` of this process; returns the handle that carries it."""
        os.set_inheritable(self.handle, True)
        return self.handle

    def __enter__(self) -> "FileLock":
        return self

    def __exit__(self, *_: object) -> None:
        self.free()


def adopt(handle: int) -> None:
    """Hold on to a lock that came through an `exec`, without giving it to child processes."""
    os.set_inheritable(handle, False)
    _held.add(handle)


def release(handle: int) -> None:
    """Let go of a lock that was adopted."""
    _held.discard(handle)
    os.close(handle)


def is_taken(file: Path) -> bool:
    """Whether somebody holds the file's exclusive lock now."""
    with FileLock(file) as lock:
        try:
            lock.take(shared=True, wait=False)
        except Taken:
            return True
    return False


def _let_go() -> None:
    for handle in _held:
        os.close(handle)
    _held.clear()


os.register_at_fork(after_in_child=_let_go)
