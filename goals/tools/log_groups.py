"""Entries of logs that are alike, counted; numbers, ids, addresses and quoted texts do not make them different."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from goals.tools.log_entries import LEVELS, Entry, read_entries
from goals.tools.log_exceptions import Raised
from goals.tools.text import shorten

MAX_DISTINCT = 20_000
_EXAMPLES, _EXAMPLE_LINES = 3, 40

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


@dataclass
class Group:
    """Entries that are alike."""

    level: str
    message: str
    exception: str
    cause: str
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
        named = {"level": self.level, "message": self.message, "exception": self.exception, "cause": self.cause}
        times = {"count": self.count, "first": self.first, "last": self.last}
        return named | times | {"files": list(self.files), "examples": self.examples}


class Triage:
    """Counts of everything read so far."""

    def __init__(self, least: int):
        self.least = least
        self.levels: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self.groups: dict[tuple[str, str, str, str], Group] = {}
        self.files: list[dict[str, Any]] = []
        self.total = self.lines = 0

    def read(self, path: str, lines: list[str], encoding: str, go_on: Callable[[], None]) -> None:
        """Take one log in; `go_on` is called now and then, and may raise to stop."""
        entries = errors = 0
        for entry in read_entries(lines):
            entries += 1
            if entries % 5000 == 0:
                go_on()
            errors += self._take(path, entry)
        self.lines += len(lines)
        counts = {"lines": len(lines), "entries": entries, "errors": errors}
        self.files.append({"path": path, **counts, "encoding": encoding})

    def _take(self, path: str, entry: Entry) -> bool:
        raised = entry.raised()
        level = _level(entry, raised)
        self.levels[level] += 1
        if entry.status is not None:
            self.answers[f"{entry.status // 100}xx"] += 1
        if LEVELS.index(level) > self.least:
            return False
        key = (level, *_alike(entry, raised))
        if len(self.groups) >= MAX_DISTINCT and key not in self.groups:
            key = (level, "(other messages)", "", "")
        self.groups.setdefault(key, Group(*key)).take(path, entry)
        self.total += 1
        return True

    def value(self, limit: int) -> dict[str, Any]:
        """Everything, the most frequent group first."""
        ordered = sorted(self.groups.values(), key=lambda g: (-g.count, LEVELS.index(g.level), g.message))
        return {
            "files": self.files,
            "levels": {level: self.levels[level] for level in LEVELS if self.levels[level]},
            "answers": dict(sorted(self.answers.items())),
            "groups": [group.value() for group in ordered[:limit]],
            "total": self.total,
            "group_count": len(ordered),
            "lines": self.lines,
        }


def _level(entry: Entry, raised: Raised | None) -> str:
    """The entry's own level; a stack trace, or an exception in an entry without a level, is an error at least."""
    lifted = raised is not None and (entry.in_traceback or entry.level == "none")
    return "error" if lifted and LEVELS.index(entry.level) > LEVELS.index("warning") else entry.level


def _alike(entry: Entry, raised: Raised | None) -> tuple[str, str, str]:
    """What makes entries alike: message, exception (or the status of an HTTP answer) and root cause."""
    if raised is None:
        return normalise(entry.message), "" if entry.status is None else f"HTTP {entry.status}", ""
    bare = not entry.message or entry.message.startswith("Traceback (")
    return normalise(raised.text if bare else entry.message), raised.name, raised.cause


def normalise(message: str) -> str:
    """The message without what differs from one occurrence to the next."""
    text = message[:1000]
    for pattern, replacement in _NORMAL:
        text = pattern.sub(replacement, text)
    return shorten(text.strip(), 300)
