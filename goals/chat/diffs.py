"""What an approval would change in a file: the difference to the workspace as it is now, bounded."""

import difflib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from goals.models import Question
from goals.tools.errors import ToolError
from goals.tools.files_write import replace_once
from goals.tools.text import decode, is_binary
from goals.tools.workspace import Workspace

MOST_BYTES = 400_000
MOST_COMPARED = 4_000  # lines on each side; comparing takes longer than linearly
MOST_SHOWN = 300
LONGEST_LINE = 400
AROUND = 3
WRITES, EDITS = "write_file", "edit_file"


@dataclass(frozen=True)
class Line:
    """`kind` is `add`, `del`, `at` (a place) or `same`; `mark` says it without colour."""

    kind: str
    mark: str
    text: str


@dataclass
class Change:
    """`note` says what is special, or why nothing can be compared."""

    path: str
    note: str = ""
    lines: list[Line] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    left_out: int = 0


def change_of(question: Question) -> Change | None:
    """Return what a file tool would change; None for other tools, and for arguments that nobody can read."""
    details = question.details if isinstance(question.details, dict) else {}
    given, tool = details.get("input"), details.get("tool")
    if tool not in {WRITES, EDITS} or not isinstance(given, dict) or not isinstance(given.get("path"), str):
        return None
    path = given["path"]
    try:
        before = _present(question.goal.workspace, path)
        after = _after(tool, given, before or "", path)
    except ToolError as error:
        return Change(path, str(error))
    if after is None or after == before:
        return Change(path, "Nothing would change: it is as wanted already.")
    return _compared(path, before, after)


def _present(folder: str, path: str) -> str | None:
    """Return the file's text, None when there is none yet."""
    workspace = Workspace(folder)
    place = workspace.place(path, write=True)
    if not workspace.exists(path):
        if os.path.lexists(os.path.join(place.root, *place.parts)):
            raise ToolError("A link or a device stands there; the tool will refuse to write it.")
        return None
    if workspace.size(path) > MOST_BYTES:
        raise ToolError(f"The file is larger than {MOST_BYTES:,} bytes: too large to compare here.")
    data = workspace.read_bytes(path, limit=MOST_BYTES)
    if is_binary(data):
        raise ToolError("The file is binary now; it would be replaced by text.")
    return decode(data).text


def _after(tool: str, given: dict[str, Any], before: str, path: str) -> str | None:
    if tool == WRITES:
        return str(given.get("content", ""))
    return replace_once(before, str(given.get("old", "")), str(given.get("new", "")), path)


def _compared(path: str, before: str | None, after: str) -> Change:
    old, new = (before or "").splitlines(), after.splitlines()
    if max(len(old), len(new)) > MOST_COMPARED:
        return Change(path, f"{len(old):,} lines now, {len(new):,} then: too many to compare here.")
    change = Change(path, "" if before is not None else "A new file.")
    found = list(_lines(old, new))
    change.added = sum(line.kind == "add" for line in found)
    change.removed = sum(line.kind == "del" for line in found)
    change.lines, change.left_out = found[:MOST_SHOWN], max(0, len(found) - MOST_SHOWN)
    if not found:
        change.note = "Only the ends of lines would change."
    return change


def _lines(old: list[str], new: list[str]) -> Iterator[Line]:
    kinds = {"+": "add", "-": "del", "@": "at", " ": "same"}
    for text in islice(difflib.unified_diff(old, new, lineterm="", n=AROUND), 2, None):
        mark, rest = text[0], text[1:]
        shown = rest if len(rest) <= LONGEST_LINE else f"{rest[:LONGEST_LINE]}…"
        yield Line(kinds[mark], "" if mark == "@" else mark.replace("-", "−"), text if mark == "@" else shown)
