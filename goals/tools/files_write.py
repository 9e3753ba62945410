"""`write_file` and `edit_file`: change text in the workspace, atomically, so that a repetition changes nothing."""

import difflib

from pydantic import Field

from goals.states import EffectClass, Risk
from goals.tools.base import OutputSpec, Reach, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import ToolInputError
from goals.tools.text import decode, is_binary, shorten

MAX_TEXT = 8_000_000


class WriteFileInput(ToolInput):
    path: str = Field(min_length=1, max_length=4096, description="File to write, relative to the workspace")
    content: str = Field(max_length=MAX_TEXT, description="The whole new text of the file")
    overwrite: bool = Field(True, description="Replace the file when it exists with another text")


class WriteFile(Tool):
    name = "write_file"
    description = "Write a text file in the workspace (folders are made). Gives {path, size, created, changed}."
    Input = WriteFileInput
    far_side = False
    outputs = (OutputSpec("written_file", "data", "Path and size of the file that was written"),)
    effect_class = EffectClass.IDEMPOTENT
    risk = Risk.MODERATE
    reach = Reach.WRITE

    def run(self, input: WriteFileInput, context: ToolContext) -> ToolResult:
        """Replace the file; refused when it exists with another text and `overwrite` is false."""
        data = encode(input.content)
        seen: dict[str, bool] = {}

        def change(old: bytes | None) -> bytes | None:
            seen.update(created=old is None, changed=old != data)
            if old is not None and old != data and not input.overwrite:
                raise ToolInputError(f"{input.path!r} exists already and overwrite is false.")
            return data if old != data else None

        path = context.workspace.update_bytes(input.path, change)
        value = {"path": path, "size": len(data), **seen}
        return ToolResult(value, f"Wrote {path} ({len(data):,} bytes).", files=(path,))


class EditFileInput(ToolInput):
    path: str = Field(min_length=1, max_length=4096, description="File to change, relative to the workspace")
    old: str = Field(min_length=1, max_length=MAX_TEXT, description="Text to replace; must occur exactly once")
    new: str = Field(max_length=MAX_TEXT, description="Text to put in its place")


class EditFile(Tool):
    name = "edit_file"
    description = (
        "Replace one text in a file of the workspace; the old text must occur exactly once. "
        "Gives {path, changed, line, diff}; changed is false when the new text was there already."
    )
    Input = EditFileInput
    far_side = False
    outputs = (OutputSpec("edited_file", "data", "Path of the changed file with the difference"),)
    effect_class = EffectClass.IDEMPOTENT
    risk = Risk.MODERATE
    reach = Reach.WRITE

    def run(self, input: EditFileInput, context: ToolContext) -> ToolResult:
        """Replace the one occurrence, keeping the file's encoding; a repetition is seen and changes nothing."""
        report: dict[str, object] = {}

        def change(old: bytes | None) -> bytes | None:
            before, encoding = _text_of(input.path, old)
            after = replace_once(before, input.old, input.new, input.path)
            at = (before if after is None else after).find(input.new)
            report["changed"] = after is not None
            report["line"] = (before if after is None else after).count("\n", 0, max(at, 0)) + 1
            report["diff"] = "" if after is None else _diff(input.path, before, after)
            return None if after is None else _encode_as(after, encoding, input.path)

        path = context.workspace.update_bytes(input.path, change)
        said = "Changed" if report["changed"] else "Found already changed:"
        return ToolResult({"path": path, **report}, f"{said} {path}.", files=(path,))


def encode(text: str) -> bytes:
    """The text as UTF-8; lone surrogates become question marks."""
    return text.encode("utf-8", "replace")


def replace_once(text: str, old: str, new: str, path: str) -> str | None:
    """The text with its one `old` replaced; None when exactly that was done before; else ToolInputError."""
    left = new.count(old)
    if new and text.count(new) == 1 and text.count(old) == left:
        return None
    count = text.count(old)
    if count != 1:
        raise ToolInputError(f"{path!r}: the old text occurs {count} times; it must occur exactly once.")
    return text.replace(old, new)


def _text_of(path: str, data: bytes | None) -> tuple[str, str]:
    if data is None:
        raise ToolInputError(f"{path!r} does not exist.")
    if is_binary(data):
        raise ToolInputError(f"{path!r} is binary.")
    decoded = decode(data)
    return decoded.text, decoded.encoding


def _encode_as(text: str, encoding: str, path: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        raise ToolInputError(f"{path!r} is in {encoding}, which cannot hold {text[error.start]!r}.") from error


def _diff(path: str, before: str, after: str) -> str:
    if len(before) > 1_000_000:
        return ""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, lineterm="", n=2)
    return shorten("\n".join(lines), 4000)
