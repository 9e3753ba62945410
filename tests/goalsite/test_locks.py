"""Locks on files."""

import os

import pytest

from goalsite import locks
from goalsite.locks import FileLock, Taken
from tests.goalsite.processes import eventually


def test_an_exclusive_lock_excludes_everybody(tmp_path):
    with FileLock(tmp_path / "lock").take():
        with FileLock(tmp_path / "lock") as other, pytest.raises(Taken):
            other.take(shared=True, wait=False)
        assert locks.is_taken(tmp_path / "lock")
    assert not locks.is_taken(tmp_path / "lock")


def test_shared_locks_exclude_only_the_exclusive_one(tmp_path):
    with FileLock(tmp_path / "lock").take(shared=True), FileLock(tmp_path / "lock").take(shared=True, wait=False):
        with FileLock(tmp_path / "lock") as other, pytest.raises(Taken):
            other.take(wait=False)
        assert not locks.is_taken(tmp_path / "lock")


def test_a_forked_child_does_not_keep_its_parents_lock(tmp_path):
    lock = FileLock(tmp_path / "lock").take()
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(source, 1)
        os._exit(0)
    try:
        lock.free()
        eventually(lambda: not locks.is_taken(tmp_path / "lock"), 60, "the child let go")
    finally:
        os.write(sink, b"x")
        os.waitpid(child, 0)
        os.close(source)
        os.close(sink)
