"""What a goal made: files in its workspace, each readable from the page."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from artifacts.models import Artifact
from goals.exceptions import NotFound
from goals.models import Goal
from goals.tools.errors import ToolError
from goals.tools.workspace import Workspace

MOST_FILES = 100
FENCE = re.compile(r"^```", re.MULTILINE)
LONGEST_PREVIEW = 16_000  # bytes
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


def beginning(goal: Goal, path: str) -> tuple[str, bool]:
    """Return the first part of a Markdown file and whether there is more; empty for anything else, or a file gone.

    It is cut between two blocks, so that no table and no piece of code is torn.
    """
    if not path.lower().endswith((".md", ".markdown")):
        return "", False
    try:
        text = _text(Workspace(goal.workspace).read_bytes(path, limit=LONGEST_PREVIEW + 1))
    except ToolError:
        return "", False
    if text is None or len(text.encode()) <= LONGEST_PREVIEW:
        return text or "", False
    whole = text.rpartition("\n\n")[0] or text.rpartition("\n")[0]
    return f"{whole}\n```" if len(FENCE.findall(whole)) % 2 else whole, True


def _text(data: bytes) -> str | None:
    if b"\0" in data[:8192]:
        return None
    return data.decode("utf-8", errors="replace")
