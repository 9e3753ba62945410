"""Open files beneath a folder, component by component, so that no link swapped in between leads out.

What Linux offers as openat2(RESOLVE_BENEATH), done by hand with openat and O_NOFOLLOW: links that stay beneath
the root are followed, `..` inside a link steps back over descriptors already held, never over names.
"""

import os
import stat
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import PurePosixPath

from goals.tools.errors import OutsideWorkspace, ToolError, ToolInputError

_MAX_LINKS = 16
_MAX_PARTS = 128
# A tool that could write here would run code at the next git command.
READ_ONLY_FOLDERS = frozenset({".git", ".hg", ".svn"})
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Descent:
    """A walk down from `root`; holds one descriptor per level until it is closed."""

    def __init__(self, root: str, stack: ExitStack, hidden: frozenset[tuple[int, int]] = frozenset()):
        self._root = root
        self._hidden = hidden
        self._stack = stack
        self._held = [self._hold(os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))]
        self._links = 0

    @property
    def fd(self) -> int:
        """The folder reached so far."""
        return self._held[-1]

    def enter(self, parts: tuple[str, ...], *, create: bool = False) -> None:
        """Go down through folders, making missing ones when `create`."""
        if self.walk(parts, create=create) is not None:
            raise NotADirectoryError(20, "Not a directory")

    def walk(self, parts: tuple[str, ...], *, create: bool = False) -> str | None:
        """Go down as far as folders go; the name of a last component that is no folder, else None."""
        queue = deque(parts)
        while queue:
            name = queue.popleft()
            if name == "..":
                self._back()
                continue
            target = self._link_target(name)
            if target is not None:
                queue.extendleft(reversed(target))
                continue
            if not queue and not create and not self._is_folder(name):
                return name
            self._down(name, create)
        return None

    def _down(self, name: str, create: bool) -> None:
        if create:
            refuse_read_only(name)
            try:
                os.mkdir(name, dir_fd=self.fd)
            except FileExistsError:
                pass
        fd = self._hold(os.open(name, _FOLDER, dir_fd=self.fd))
        if is_hidden(fd, self._hidden):
            raise OutsideWorkspace(f"{name!r} belongs to the site and is not part of the workspace.")
        self._held.append(fd)

    def _back(self) -> None:
        if len(self._held) == 1:
            raise OutsideWorkspace("The path leads out of the workspace through a link.")
        self._held.pop()

    def _is_folder(self, name: str) -> bool:
        try:
            return stat.S_ISDIR(os.stat(name, dir_fd=self.fd, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return False

    def _link_target(self, name: str) -> tuple[str, ...] | None:
        """Components to go on with when `name` is a link; None when it is not."""
        try:
            target = os.readlink(name, dir_fd=self.fd)
        except OSError:
            return None
        self._links += 1
        if self._links > _MAX_LINKS:
            raise ToolInputError("The path goes through too many links.")
        path = PurePosixPath(target)
        if not path.is_absolute():
            return path.parts
        if not path.is_relative_to(self._root):
            raise OutsideWorkspace(f"{name!r} is a link out of the workspace.")
        del self._held[1:]
        return path.relative_to(self._root).parts

    def _hold(self, fd: int) -> int:
        self._stack.callback(os.close, fd)
        return fd


def is_hidden(fd: int, hidden: frozenset[tuple[int, int]]) -> bool:
    """Whether an open folder is one of those that no tool may enter, by whatever name it was reached."""
    if not hidden:
        return False
    found = os.fstat(fd)
    return (found.st_dev, found.st_ino) in hidden


@contextmanager
def descent(root: str, hidden: frozenset[tuple[int, int]] = frozenset()) -> Iterator[Descent]:
    """A Descent whose descriptors are closed at the end; operating system errors become ToolErrors."""
    with ExitStack() as stack, readable_errors():
        yield Descent(root, stack, hidden)


@contextmanager
def readable_errors(path: str = "") -> Iterator[None]:
    """Turn an OSError inside the block into a ToolError that names the path and the reason."""
    try:
        yield
    except OSError as error:
        shown = path or str(error.filename or "path")
        kind = ToolInputError if isinstance(error, FileNotFoundError | NotADirectoryError) else ToolError
        raise kind(f"{shown!r}: {error.strerror or error}.") from error


def open_plain(fd: int, name: str) -> int:
    """A descriptor of the plain file `name` in the folder `fd`; anything else (link, fifo, device) is refused.

    The kind is looked at before opening, since merely opening a device can act, and again on what was opened.
    """
    _refuse_special(os.stat(name, dir_fd=fd, follow_symlinks=False), name)
    opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY, dir_fd=fd)
    try:
        _refuse_special(os.fstat(opened), name)
    except ToolError:
        os.close(opened)
        raise
    return opened


def _refuse_special(found: os.stat_result, name: str) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise ToolInputError(f"{name!r} is a folder, not a file.")
    if not stat.S_ISREG(found.st_mode):
        raise OutsideWorkspace(f"{name!r} is a link, a pipe, a socket or a device, not a plain file.")


def refuse_read_only(name: str) -> None:
    """Refuse to write into a folder of version control, by whatever way it was reached."""
    if name.lower() in READ_ONLY_FOLDERS:
        raise OutsideWorkspace(f"{name!r} belongs to version control and is read-only.")


def split(path: str) -> tuple[str, ...]:
    """The components of a relative path; `..`, NUL and overlong paths are refused."""
    if "\0" in path or len(path) > 4096:
        raise ToolInputError("A path must be at most 4,096 characters without NUL.")
    if any("\ud800" <= c <= "\udfff" for c in path):
        raise ToolInputError("A path must be valid Unicode.")
    parts = tuple(p for p in path.split("/") if p not in ("", "."))
    if ".." in parts:
        raise OutsideWorkspace(f"{path!r}: '..' is not allowed in a path.")
    if len(parts) > _MAX_PARTS:
        raise ToolInputError(f"A path may have at most {_MAX_PARTS} parts.")
    return parts
