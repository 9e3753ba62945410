"""Blobs that no row names: left by a transaction that was rolled back, or by a row that is gone.

A blob is written before its row, so one that is young may yet be named; storing the same again makes it young. It is
put aside first and looked at once more: who stores the same in between finds none, and writes it anew, or has made it
young, and it is put back.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from artifacts.storage import DRAFT, SHA256, folder

ASIDE = ".gone-"
Named = Callable[[list[str]], set[str]]


@dataclass(frozen=True)
class Swept:
    """How many files were taken away, and their bytes."""

    files: int = 0
    bytes: int = 0


def sweep(named: Named, before: float, *, dry_run: bool = False, batch: int = 500) -> Iterator[Swept]:
    """Yield how far it is, after each batch; files from `before` (a time) of which `named` says no digest."""
    done = Swept()
    for old in _batches(before, batch):
        kept = named([digest for path in old if (digest := _digest(path))])
        for path, size in old.items():
            is_named = _digest(path) in kept
            if is_named and (dry_run or not path.name.startswith(ASIDE)):
                continue
            if dry_run or _remove(path, named, before):
                done = Swept(done.files + 1, done.bytes + size)
        yield done
    yield done


def size() -> int:
    """The bytes of all blobs."""
    return sum(size for _, size, _ in _files())


def _batches(before: float, batch: int) -> Iterator[dict[Path, int]]:
    old: dict[Path, int] = {}
    for path, bytes_, modified in _files():
        if modified < before:
            old[path] = bytes_
        if len(old) == batch:
            yield old
            old = {}
    if old:
        yield old


def _files() -> Iterator[tuple[Path, int, float]]:
    """Every file with its size and when it was written; one that goes away meanwhile is left out."""
    root = folder()
    for inner in sorted(root.iterdir()) if root.is_dir() else ():
        for found in os.scandir(inner):
            with suppress(FileNotFoundError):
                told = found.stat(follow_symlinks=False)
                if stat.S_ISREG(told.st_mode):
                    yield Path(found.path), told.st_size, told.st_mtime


def _digest(path: Path) -> str:
    """The digest that a file is named by; empty for the draft of a writer that was killed."""
    digest = path.parent.name + path.name.removeprefix(ASIDE)
    return digest if SHA256.fullmatch(digest) and not path.name.startswith(DRAFT) else ""


def _remove(path: Path, named: Named, before: float) -> bool:
    """Take one away, unless it has become young or named meanwhile."""
    digest = _digest(path)
    if not digest:
        path.unlink(missing_ok=True)
        return True
    aside = path.with_name(ASIDE + digest[2:])
    try:
        os.rename(path, aside)
    except FileNotFoundError:  # another sweep was faster
        return False
    if aside.stat().st_mtime < before and digest not in named([digest]):
        aside.unlink()
        return True
    whole = path.with_name(digest[2:])
    with suppress(FileExistsError):  # written anew
        os.link(aside, whole)
    aside.unlink()
    return False
