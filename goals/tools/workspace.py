"""The folder a goal works in. File tools cannot leave it, whatever the path or the tree looks like."""

import fcntl
import os
import stat
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from goals.tools.beneath import descent, open_plain, readable_errors, refuse_read_only, split
from goals.tools.errors import OutsideWorkspace, ToolError, ToolInputError

MAX_READ_BYTES = 32 * 1024 * 1024
MAX_WRITE_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Place:
    """A path taken apart: the root it lies under and its components there."""

    root: str
    parts: tuple[str, ...]

    @property
    def relative(self) -> str:
        """The path as a person writes it, relative to its root."""
        return "/".join(self.parts) or "."


class Workspace:
    """Reads and writes beneath `root`, reads beneath `read_roots`; safe against links swapped while it works.

    The site's own data folder stays out of reach even where a workspace holds it.
    """

    def __init__(self, root: str | Path, read_roots: tuple[str | Path, ...] = ()):
        self.given = os.path.abspath(root)
        self.root = os.path.realpath(root)
        self.read_roots = tuple(os.path.realpath(r) for r in read_roots)
        self.hidden = frozenset(_identities(hidden_folders()))

    def place(self, path: str, *, write: bool = False) -> Place:
        """Where `path` lies, by its text alone: relative to the root, or absolute beneath an allowed root."""
        if not os.path.isabs(path):
            return Place(self.root, split(path))
        parts = split(path)
        aliases = [(self.root, self.root), (self.given, self.root)]
        for named, root in aliases + ([] if write else [(r, r) for r in self.read_roots]):
            prefix = split(named)
            if parts[: len(prefix)] == prefix:
                return Place(root, parts[len(prefix) :])
        raise OutsideWorkspace(f"{path!r} is outside the workspace. Paths are relative to the workspace folder.")

    def resolve_read(self, path: str) -> Path:
        """The path of an existing plain file or folder that may be read; opens it to be sure."""
        place = self.place(path)
        with readable_errors(path), descent(place.root, self.hidden) as down:
            name = down.walk(place.parts)
            if name is not None:
                os.close(open_plain(down.fd, name))
        return Path(place.root, *place.parts)

    @contextmanager
    def open(self, path: str) -> Iterator[int]:
        """A read descriptor of a plain file, closed at the end."""
        place = self.place(path)
        with readable_errors(path), descent(place.root, self.hidden) as down:
            name = down.walk(place.parts)
            if name is None:
                raise ToolInputError(f"{path!r} is a folder, not a file.")
            fd = open_plain(down.fd, name)
            try:
                yield fd
            finally:
                os.close(fd)

    def size(self, path: str) -> int:
        """Bytes in a plain file."""
        with self.open(path) as fd:
            return os.fstat(fd).st_size

    def read_bytes(self, path: str, *, limit: int = MAX_READ_BYTES, offset: int = 0) -> bytes:
        """At most `limit` bytes from `offset`; compare with `size` to know whether there is more."""
        with self.open(path) as fd:
            os.lseek(fd, offset, os.SEEK_SET)
            chunks, left = [], limit
            while left > 0 and (chunk := os.read(fd, min(left, 1 << 20))):
                chunks.append(chunk)
                left -= len(chunk)
            return b"".join(chunks)

    def exists(self, path: str) -> bool:
        """Whether a file or folder is there that may be read."""
        try:
            self.resolve_read(path)
        except ToolError:
            return False
        return True

    def write_bytes(self, path: str, data: bytes) -> str:
        """Replace or create the file atomically, with missing folders; its relative path."""
        return self.update_bytes(path, lambda old: data)

    def update_bytes(self, path: str, change: Callable[[bytes | None], bytes | None]) -> str:
        """Read, change and replace under a lock of the folder; `change` gets None when there is no file yet.

        A `change` that gives None leaves everything as it is. Returns the relative path.
        """
        place = self._writable(path)
        with readable_errors(path), descent(place.root, self.hidden) as down:
            down.enter(place.parts[:-1], create=True)
            fcntl.flock(down.fd, fcntl.LOCK_EX)
            try:
                mode = self._refuse_odd_target(down.fd, place)
                new = change(None if mode is None else self._read_at(down.fd, place.parts[-1]))
                if new is not None:
                    _replace(down.fd, place.parts[-1], new, mode)
            finally:
                fcntl.flock(down.fd, fcntl.LOCK_UN)
        return place.relative

    def append_line(self, path: str, line: str, *, unless: str) -> bool:
        """Add a line to a text file unless it holds the text `unless` already; whether it was added."""
        added = False

        def change(old: bytes | None) -> bytes | None:
            nonlocal added
            before = old or b""
            if unless.encode() in before:
                return None
            added = True
            glue = b"" if not before or before.endswith(b"\n") else b"\n"
            return before + glue + line.encode() + b"\n"

        self.update_bytes(path, change)
        return added

    def _writable(self, path: str) -> Place:
        place = self.place(path, write=True)
        if not place.parts:
            raise ToolInputError("The path must name a file in the workspace.")
        for part in place.parts:
            refuse_read_only(part)
        return place

    @staticmethod
    def _refuse_odd_target(fd: int, place: Place) -> int | None:
        """The mode of the plain file to replace, None when there is none; anything else is refused."""
        try:
            found = os.stat(place.parts[-1], dir_fd=fd, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(found.st_mode):
            raise OutsideWorkspace(f"{place.relative!r} is a folder, a link or a device; only plain files are written.")
        return stat.S_IMODE(found.st_mode) & 0o777

    @staticmethod
    def _read_at(fd: int, name: str) -> bytes:
        with os.fdopen(open_plain(fd, name), "rb") as file:
            data = file.read(MAX_READ_BYTES + 1)
        if len(data) > MAX_READ_BYTES:
            raise ToolInputError(f"{name!r} is larger than {MAX_READ_BYTES:,} bytes.")
        return data


def hidden_folders() -> tuple[str, ...]:
    """The folders of the site itself (its secret key, its database), when there is a site."""
    if not settings.configured or not getattr(settings, "GOALSITE_DATA_DIR", None):
        return ()
    return (os.path.realpath(settings.GOALSITE_DATA_DIR),)


def _identities(paths: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    for path in paths:
        try:
            found = os.stat(path)
        except OSError:
            continue
        yield found.st_dev, found.st_ino


def _replace(fd: int, name: str, data: bytes, mode: int | None) -> None:
    if len(data) > MAX_WRITE_BYTES:
        raise ToolInputError(f"A file may have at most {MAX_WRITE_BYTES:,} bytes, this has {len(data):,}.")
    temporary = f".{uuid.uuid4().hex}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(temporary, flags, 0o666 if mode is None else mode, dir_fd=fd), "wb") as file:
            file.write(data)
            file.flush()
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.rename(temporary, name, src_dir_fd=fd, dst_dir_fd=fd)
    except OSError:
        try:
            os.unlink(temporary, dir_fd=fd)
        except FileNotFoundError:
            pass
        raise
