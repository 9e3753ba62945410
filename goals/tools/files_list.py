"""`list_files`: what lies in a folder."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import PurePosixPath

from pydantic import Field

from goals.tools.base import OutputSpec, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.tree import walk


class ListFilesInput(ToolInput):
    path: str = Field(".", min_length=1, max_length=4096, description="Folder to list, relative to the workspace")
    pattern: str = Field(
        "**", min_length=1, max_length=500, description="Glob; '*.py' means in any folder, 'src/**/*.py' beneath src"
    )
    exclude: list[str] = Field(default_factory=list, max_length=50, description="Globs of files to leave out")
    include_ignored: bool = Field(False, description="Also look into .git, .venv, node_modules and the like")
    max_files: int = Field(1000, ge=1, le=10_000)


class ListFiles(Tool):
    name = "list_files"
    description = (
        "List the files of a folder and its folders. Gives {path, files: [{path, size, modified}], paths, count, "
        "total_size, folders, by_extension: [{extension, files, size}], ignored, truncated, problems}."
    )
    Input = ListFilesInput
    far_side = False
    outputs = (OutputSpec("file_list", "data", "Files of a folder with sizes, counted by extension"),)

    def run(self, input: ListFilesInput, context: ToolContext) -> ToolResult:
        """Walk the folder; links and special files are problems, never followed."""
        found = walk(
            context, input.path, pattern=input.pattern, exclude=input.exclude, ignore=not input.include_ignored
        )
        shown = found.files[: input.max_files]
        value = {
            "path": input.path,
            "files": [{"path": f.path, "size": f.size, "modified": _moment(f.modified)} for f in shown],
            "paths": [f.path for f in shown],
            "count": len(found.files),
            "total_size": sum(f.size for f in found.files),
            "folders": found.folders,
            "by_extension": _by_extension([(f.path, f.size) for f in found.files]),
            "ignored": found.ignored,
            "truncated": found.truncated or len(found.files) > len(shown),
            "problems": found.problems,
        }
        return ToolResult(value, f"Files found: {len(found.files)}.", untrusted=True)


def _moment(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(int(seconds), UTC).isoformat()
    except (OverflowError, ValueError, OSError):
        return ""


def _by_extension(files: list[tuple[str, int]]) -> list[dict[str, object]]:
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for path, size in files:
        extension = PurePosixPath(path).suffix.lower() or "(none)"
        counts[extension] += 1
        sizes[extension] += size
    ordered = sorted(counts, key=lambda e: (-counts[e], e))[:100]
    return [{"extension": e, "files": counts[e], "size": sizes[e]} for e in ordered]
