"""Walk a workspace's tree: bounded, in a fixed order, with everything odd told instead of raised."""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice

from goals.tools.base import ToolContext
from goals.tools.beneath import Descent, descent, is_hidden, readable_errors

IGNORED = frozenset(
    {".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox", ".mypy_cache"}
    | {".pytest_cache", ".ruff_cache", ".hypothesis", ".idea", ".cache"}
)
MAX_ENTRIES = 20_000
MAX_DEPTH = 40
_MAX_PROBLEMS = 200


@dataclass(frozen=True)
class Entry:
    """One plain file: its path as tools take it, bytes, and time of last change (seconds since 1970)."""

    path: str
    size: int
    modified: float


@dataclass
class Listing:
    """What a walk found; `problems` are {path, problem} of what could not be taken in; `ignored_paths` are by name."""

    files: list[Entry] = field(default_factory=list)
    folders: int = 0
    ignored: int = 0
    ignored_paths: dict[str, list[str]] = field(default_factory=dict)
    truncated: bool = False
    problems: list[dict[str, str]] = field(default_factory=list)

    def problem(self, path: str, text: str) -> None:
        """Tell of something odd; the first couple of hundred are kept."""
        if len(self.problems) < _MAX_PROBLEMS:
            self.problems.append({"path": printable(path), "problem": text})


def tell_ignored(listing: Listing) -> None:
    """Add a problem for each kind of folder that was not looked into."""
    for name, paths in listing.ignored_paths.items():
        more = f" (and {len(paths) - 1} more of this name)" if len(paths) > 1 else ""
        listing.problem(paths[0], f"{name} is never looked into{more}")


def in_folder(path: str) -> str:
    """`in the folder`, or `in PATH` where it is not the workspace itself."""
    return "in the folder" if path in (".", "./") else f"in {path}"


def printable(name: str) -> str:
    """A file name that can be stored and shown, whatever its bytes were."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\0", "�")


def matches(path: str, pattern: str) -> bool:
    """Whether a relative path fits a glob: `*` within a folder, `**` across folders; no slash means any folder."""
    if "/" not in pattern:
        return fnmatchcase(path.rsplit("/", 1)[-1], pattern)
    return _match(path.split("/"), pattern.removeprefix("./").split("/"))


def _match(parts: list[str], pattern: list[str]) -> bool:
    """Dynamic programme over components, so that many `**` cost no more than their product."""
    reach = {0}
    for piece in pattern:
        if piece == "**":
            reach = set(range(min(reach), len(parts) + 1))
        else:
            reach = {i + 1 for i in reach if i < len(parts) and fnmatchcase(parts[i], piece)}
        if not reach:
            return False
    return len(parts) in reach


def walk(
    context: ToolContext, path: str = ".", *, pattern: str = "**", exclude: Sequence[str] = (), ignore: bool = True
) -> Listing:
    """All plain files beneath `path` that fit `pattern` and none of `exclude`. Links are told of, never followed."""
    place = context.workspace.place(path)
    listing = Listing()
    outside = "" if place.root == context.workspace.root else place.root + "/"
    with readable_errors(path), descent(place.root, context.workspace.hidden) as down:
        down.enter(place.parts)
        prefix = outside + "".join(f"{part}/" for part in place.parts)
        _Walker(context, listing, prefix, (pattern, tuple(exclude)), ignore).visit(down, ())
    return listing


class _Walker:
    """Fills a Listing; `prefix` makes its paths such that tools can open them."""

    def __init__(
        self, context: ToolContext, listing: Listing, prefix: str, globs: tuple[str, tuple[str, ...]], ignore: bool
    ):
        self.context, self.listing, self.prefix = context, listing, prefix
        (self.pattern, self.exclude), self.ignore = globs, ignore
        self.seen = 0

    def visit(self, down: "Descent | _Held", parts: tuple[str, ...], depth: int = 0) -> None:
        """Take in one folder and go down into its folders, by descriptors that cannot be swapped."""
        self.context.check_deadline()
        folders = []
        for name in self._names(down.fd, "/".join(parts)):
            child = (*parts, name)
            found = self._look(down.fd, name, child)
            if found is not None and stat.S_ISDIR(found.st_mode):
                folders.append(name)
        for name in folders:
            self._descend(down.fd, (*parts, name), depth + 1)

    def _names(self, fd: int, path: str) -> list[str]:
        with os.scandir(fd) as entries:
            names = sorted(entry.name for entry in islice(entries, MAX_ENTRIES + 1))
        if len(names) > MAX_ENTRIES:
            self.listing.truncated = True
            self._tell(path or ".", f"holds more than {MAX_ENTRIES:,} entries")
        return names[:MAX_ENTRIES]

    def _look(self, fd: int, name: str, parts: tuple[str, ...]) -> os.stat_result | None:
        path = "/".join(parts)
        self.seen += 1
        if self.seen > MAX_ENTRIES:
            self.listing.truncated = True
            return None
        if self.ignore and name in IGNORED:
            self.listing.ignored += 1
            self.listing.ignored_paths.setdefault(name, []).append(self.prefix + path)
            return None
        if printable(name) != name:
            self._tell(path, "its name is not valid UTF-8")
            return None
        try:
            found = os.stat(name, dir_fd=fd, follow_symlinks=False)
        except OSError as error:
            self._tell(path, error.strerror or str(error))
            return None
        self._take(path, found)
        return found

    def _take(self, path: str, found: os.stat_result) -> None:
        if stat.S_ISREG(found.st_mode):
            if matches(path, self.pattern) and not any(matches(path, glob) for glob in self.exclude):
                self.listing.files.append(Entry(self.prefix + path, found.st_size, found.st_mtime))
        elif stat.S_ISDIR(found.st_mode):
            self.listing.folders += 1
        elif stat.S_ISLNK(found.st_mode):
            self._tell(path, "is a link; links are not followed")
        else:
            self._tell(path, "is a pipe, socket or device")

    def _tell(self, path: str, text: str) -> None:
        self.listing.problem(self.prefix + path, text)

    def _descend(self, fd: int, parts: tuple[str, ...], depth: int) -> None:
        path = "/".join(parts)
        if depth > MAX_DEPTH:
            self.listing.truncated = True
            self._tell(path, f"is deeper than {MAX_DEPTH} folders")
            return
        try:
            child = os.open(parts[-1], os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
        except OSError as error:
            self._tell(path, error.strerror or str(error))
            return
        try:
            if is_hidden(child, self.context.workspace.hidden):
                self._tell(path, "belongs to the site")
                return
            self.visit(_Held(child), parts, depth)
        finally:
            os.close(child)


@dataclass(frozen=True)
class _Held:
    """A folder of the walk, open."""

    fd: int
