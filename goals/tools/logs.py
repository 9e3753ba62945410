"""`group_log_errors`: the errors of log files, alike ones together, counted, with first and last time."""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from goals.tools.base import OutputSpec, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import ToolError
from goals.tools.log_entries import LEVELS, Entry, read_entries
from goals.tools.text import decode, is_binary, lines_of, shorten
from goals.tools.tree import Listing, walk

MAX_FILE_BYTES = 32 * 1024 * 1024
MAX_FILES = 500
MAX_DISTINCT = 20_000
_EXAMPLES, _EXAMPLE_LINES = 3, 40
DEFAULT_PATTERN = "*.log*"

_NORMAL = (
    (re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"), "<id>"),
    (re.compile(r"\b0x[0-9a-fA-F]+\b"), "<address>"),
    (re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}\b"), "<mail>"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b"), "<ip>"),
    (re.compile(r"\b(?=[0-9a-fA-F]*\d)[0-9a-fA-F]{12,64}\b"), "<id>"),
    (re.compile(r"'[^'\n]{1,300}'|\"[^\"\n]{1,300}\""), "<text>"),
    (re.compile(r"(?<![A-Za-z_\d])[+-]?\d+(?:[.,:]\d+)*(?:ms|s|kb|mb|gb|%)?\b", re.IGNORECASE), "<n>"),
    (re.compile(r"\s+"), " "),
)


class GroupLogErrorsInput(ToolInput):
    path: str = Field(".", min_length=1, max_length=4096, description="Log file, or a folder of them")
    pattern: str = Field(
        DEFAULT_PATTERN, min_length=1, max_length=500, description="Glob of log files when path is a folder"
    )
    min_level: Literal["warning", "error", "critical"] = Field("error", description="Least serious level to group")
    max_groups: int = Field(100, ge=1, le=1000)


class GroupLogErrors(Tool):
    name = "group_log_errors"
    description = (
        "Group the errors of log files. Gives {path, files: [{path, lines, entries, errors, encoding}], levels: {name: "
        "count}, groups: [{level, message, exception, count, first, last, files, examples: [{path, line, text}]}], "
        "total, group_count, lines, truncated, problems}; the most frequent group comes first."
    )
    Input = GroupLogErrorsInput
    far_side = False
    outputs = (OutputSpec("log_triage", "data", "Errors of the logs, grouped and counted"),)

    def run(self, input: GroupLogErrorsInput, context: ToolContext) -> ToolResult:
        """Read each log once; numbers, ids, addresses and quoted texts do not make errors different."""
        listing = _choose(input, context)
        triage = Triage(LEVELS.index(input.min_level))
        for path in [entry.path for entry in listing.files[:MAX_FILES]]:
            context.check_deadline()
            _read(path, context, listing, triage)
        value = {"path": input.path, **triage.value(input.max_groups), "problems": listing.problems}
        value["truncated"] = listing.truncated or len(listing.files) > MAX_FILES
        said = f"{triage.total} errors of {len(triage.groups)} kinds in {len(triage.files)} logs."
        return ToolResult(value, said, untrusted=True)


def _choose(input: GroupLogErrorsInput, context: ToolContext) -> Listing:
    """The logs of a folder by the pattern, all its files when nothing has a log's usual name; or the one file."""
    if context.workspace.resolve_read(input.path).is_dir():
        listing = walk(context, input.path, pattern=input.pattern)
        if not listing.files and input.pattern == DEFAULT_PATTERN:
            listing = walk(context, input.path)
        return listing
    return Listing(files=[_OneFile(input.path)])


@dataclass(frozen=True)
class _OneFile:
    path: str


def _read(path: str, context: ToolContext, listing: Listing, triage: "Triage") -> None:
    try:
        data = context.workspace.read_bytes(path, limit=MAX_FILE_BYTES + 1)
    except ToolError as error:
        listing.problem(path, str(error))
        return
    if is_binary(data):
        listing.problem(path, "is binary (or compressed)")
        return
    if len(data) > MAX_FILE_BYTES:
        listing.truncated = True
        listing.problem(path, f"only its first {MAX_FILE_BYTES:,} bytes were read")
    decoded = decode(data[:MAX_FILE_BYTES])
    triage.read(path, lines_of(decoded.text), decoded.encoding, context)


@dataclass
class Group:
    """Entries that are alike."""

    level: str
    message: str
    exception: str
    count: int = 0
    first: str = ""
    last: str = ""
    files: dict[str, None] = field(default_factory=dict)
    examples: list[dict[str, Any]] = field(default_factory=list)

    def take(self, path: str, entry: Entry) -> None:
        """Count one entry in."""
        self.count += 1
        if entry.time:
            self.first = min(self.first or entry.time, entry.time)
            self.last = max(self.last, entry.time)
        if len(self.files) < 20:
            self.files[path] = None
        if len(self.examples) < _EXAMPLES:
            text = "\n".join(shorten(line, 500) for line in [entry.text, *entry.rest][:_EXAMPLE_LINES])
            self.examples.append({"path": path, "line": entry.line, "text": text.rstrip()})

    def value(self) -> dict[str, Any]:
        """As the tool gives it."""
        named = {"level": self.level, "message": self.message, "exception": self.exception, "count": self.count}
        times = {"first": self.first, "last": self.last}
        return named | times | {"files": list(self.files), "examples": self.examples}


class Triage:
    """Counts of everything read so far."""

    def __init__(self, least: int):
        self.least = least
        self.levels: Counter[str] = Counter()
        self.groups: dict[tuple[str, str, str], Group] = {}
        self.files: list[dict[str, Any]] = []
        self.total = self.lines = 0

    def read(self, path: str, lines: list[str], encoding: str, context: ToolContext) -> None:
        """Take one log in."""
        entries = errors = 0
        for entry in read_entries(lines):
            entries += 1
            if entries % 5000 == 0:
                context.check_deadline()
            errors += self._take(path, entry)
        self.lines += len(lines)
        counts = {"lines": len(lines), "entries": entries, "errors": errors}
        self.files.append({"path": path, **counts, "encoding": encoding})

    def _take(self, path: str, entry: Entry) -> bool:
        raised = entry.exception()
        level = "error" if raised and LEVELS.index(entry.level) > LEVELS.index("warning") else entry.level
        self.levels[level] += 1
        if LEVELS.index(level) > self.least:
            return False
        bare = entry.message.startswith("Traceback (") or entry.message in ("", raised)
        message = normalise(raised if bare and raised else entry.message)
        name = "" if bare else raised.split(":", 1)[0].removeprefix("Caused by ").strip()
        key = (level, message, name)
        if len(self.groups) >= MAX_DISTINCT and key not in self.groups:
            key = (level, "(other messages)", "")
        self.groups.setdefault(key, Group(*key)).take(path, entry)
        self.total += 1
        return True

    def value(self, limit: int) -> dict[str, Any]:
        """Everything, the most frequent group first."""
        ordered = sorted(self.groups.values(), key=lambda g: (-g.count, LEVELS.index(g.level), g.message))
        return {
            "files": self.files,
            "levels": {level: self.levels[level] for level in LEVELS if self.levels[level]},
            "groups": [group.value() for group in ordered[:limit]],
            "total": self.total,
            "group_count": len(ordered),
            "lines": self.lines,
        }


def normalise(message: str) -> str:
    """The message without what differs from one occurrence to the next."""
    text = message[:1000]
    for pattern, replacement in _NORMAL:
        text = pattern.sub(replacement, text)
    return shorten(text.strip(), 300)
