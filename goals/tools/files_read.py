"""`read_file` and `read_many_files`: text out of the workspace, bounded, whatever the bytes are."""

from typing import Any

from pydantic import Field

from goals.tools.base import OutputSpec, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import ToolError, ToolInputError
from goals.tools.text import decode, is_binary, lines_of
from goals.tools.tree import walk

MAX_CHARACTERS = 200_000


class ReadFileInput(ToolInput):
    path: str = Field(min_length=1, max_length=4096, description="File to read, relative to the workspace")
    first_line: int = Field(1, ge=1, description="First line to return, counted from 1")
    max_lines: int = Field(2000, ge=1, le=20_000, description="At most this many lines")


class ReadFile(Tool):
    name = "read_file"
    description = (
        "Read a text file of the workspace. Gives {path, text, encoding, lines (in the whole file), first_line, "
        "truncated, size}. A binary file gives text null and binary true."
    )
    Input = ReadFileInput
    far_side = False
    outputs = (OutputSpec("file_content", "data", "Text of a file with its path, encoding and size"),)

    def run(self, input: ReadFileInput, context: ToolContext) -> ToolResult:
        """Read the lines asked for; files over the read limit are cut and say so."""
        value = read_text(context, input.path, input.first_line, input.max_lines)
        what = "a binary file" if value["binary"] else f"{value['lines']} lines"
        return ToolResult(value, f"Read {input.path}: {what}, {value['size']:,} bytes.", untrusted=True)


class ReadManyFilesInput(ToolInput):
    paths: list[str] = Field(default_factory=list, max_length=500, description="Files to read")
    path: str = Field(".", max_length=4096, description="Folder to look in when no paths are given")
    pattern: str = Field("", max_length=500, description="Glob of files to read instead of paths, such as **/*.md")
    exclude: list[str] = Field(default_factory=list, max_length=50, description="Globs of files to leave out")
    max_files: int = Field(50, ge=1, le=500)
    max_lines: int = Field(2000, ge=1, le=20_000, description="At most this many lines of each file")


class ReadManyFiles(Tool):
    name = "read_many_files"
    description = (
        "Read several text files, named by paths or by a glob pattern. Gives {files: [{path, text, encoding, lines, "
        "truncated, size}], problems: [{path, problem}], truncated}."
    )
    Input = ReadManyFilesInput
    far_side = False
    outputs = (OutputSpec("file_contents", "data", "Texts of several files, with what could not be read"),)

    def run(self, input: ReadManyFilesInput, context: ToolContext) -> ToolResult:
        """Read each; one that cannot be read is a problem, not a failure."""
        paths, problems, truncated = self._choose(input, context)
        files: list[dict[str, Any]] = []
        room = MAX_CHARACTERS * 2
        for path in paths:
            context.check_deadline()
            try:
                found = read_text(context, path, 1, input.max_lines, room)
            except ToolError as error:
                problems.append({"path": path, "problem": str(error)})
                continue
            if found["binary"]:
                problems.append({"path": path, "problem": "is binary"})
                continue
            room -= len(found["text"])
            files.append(found)
            if room <= 0:
                truncated = len(files) < len(paths) or found["truncated"]
                break
        value = {"files": files, "problems": problems, "truncated": truncated}
        return ToolResult(value, f"Read {len(files)} files, {len(problems)} problems.", untrusted=True)

    @staticmethod
    def _choose(input: ReadManyFilesInput, context: ToolContext) -> tuple[list[str], list[dict[str, str]], bool]:
        if bool(input.paths) == bool(input.pattern):
            raise ToolInputError("read_many_files: give either paths or a pattern.")
        if input.paths:
            return input.paths[: input.max_files], [], len(input.paths) > input.max_files
        listing = walk(context, input.path, pattern=input.pattern, exclude=input.exclude)
        paths = [entry.path for entry in listing.files]
        return paths[: input.max_files], listing.problems, listing.truncated or len(paths) > input.max_files


def read_text(
    context: ToolContext, path: str, first_line: int, max_lines: int, max_characters: int = MAX_CHARACTERS
) -> dict[str, Any]:
    """The lines of a file as `read_file` gives them; raises ToolError when it cannot be read."""
    size = context.workspace.size(path)
    data = context.workspace.read_bytes(path)
    base = {"path": path, "size": size, "binary": is_binary(data)}
    if base["binary"]:
        return base | {"text": None, "encoding": None, "lines": None, "first_line": first_line, "truncated": False}
    decoded = decode(data)
    lines = lines_of(decoded.text)
    text = "".join(lines[first_line - 1 : first_line - 1 + max_lines])
    cut = size > len(data) or first_line - 1 + max_lines < len(lines) or len(text) > max_characters
    shown = {"text": text[:max_characters], "encoding": decoded.encoding, "lines": len(lines)}
    return base | shown | {"first_line": first_line, "truncated": cut}
