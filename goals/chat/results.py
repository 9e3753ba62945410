"""What a goal made: files in its workspace, each readable from the page."""

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from artifacts.models import Artifact
from goals.exceptions import NotFound
from goals.models import Goal
from goals.tools.errors import ToolError
from goals.tools.workspace import Workspace

MOST_FILES = 100
LONGEST_PREVIEW = 2_000
LONGEST_SHOWN = 2_000_000


@dataclass(frozen=True)
class File:
    """A file of a goal's workspace; `text` is None when it is binary."""

    path: str
    data: bytes
    text: str | None

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def is_markdown(self) -> bool:
        return self.path.lower().endswith((".md", ".markdown"))


def files_of(goal: Goal) -> list[str]:
    """Return the files that the goal's tools say they made, the latest last, each once."""
    rows = Artifact.objects.filter(context_id=goal.artifact_context_id, metadata__has_key="files")
    found: dict[str, None] = {}
    for files in rows.order_by("created_at").values_list("metadata__files", flat=True)[:1000]:
        for path in files if isinstance(files, list) else []:
            if isinstance(path, str):
                found.setdefault(path)
    return list(found)[-MOST_FILES:]


def read(goal: Goal, path: Any) -> File:
    """Return a file that the goal made; raises NotFound for any other path, or one that is gone."""
    if path not in files_of(goal):
        raise NotFound(f"the goal made no file {str(path)[:200]!r}")
    try:
        data = Workspace(goal.workspace).read_bytes(path, limit=LONGEST_SHOWN)
    except ToolError as error:
        raise NotFound(str(error)) from error
    return File(path, data, _text(data))


def beginning(goal: Goal, path: str) -> str:
    """Return the first part of a Markdown file, cut at a line; empty for anything else, or a file that is gone."""
    if not path.lower().endswith(".md"):
        return ""
    try:
        text = _text(Workspace(goal.workspace).read_bytes(path, limit=LONGEST_PREVIEW))
    except ToolError:
        return ""
    return "" if text is None else text if len(text) < LONGEST_PREVIEW - 4 else text.rpartition("\n")[0]


def _text(data: bytes) -> str | None:
    if b"\0" in data[:8192]:
        return None
    return data.decode("utf-8", errors="replace")
