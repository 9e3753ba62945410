"""`group_log_errors`: the errors of log files, alike ones together, counted, with first and last time."""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from goals.tools.base import OutputSpec, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import ToolError, ToolInputError
from goals.tools.log_entries import LEVELS, looks_like_log
from goals.tools.log_groups import Triage
from goals.tools.text import decode, is_binary, lines_of, plural
from goals.tools.tree import Listing, in_folder, walk

MAX_FILE_BYTES = 32 * 1024 * 1024
MAX_FILES = 500
_TOLD = 5
DEFAULT_PATTERN, _ANY_CASE = "*.log*", "*.[lL][oO][gG]*"


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
        "count}, answers: {class of HTTP status: count}, groups: [{level, message, exception, cause, count, first, "
        "last, files, examples: [{path, line, text}]}], total, group_count, lines, truncated, problems}; the most "
        "frequent group comes first. Of an access log, answers of 5xx are errors, 4xx warnings, the others info."
    )
    Input = GroupLogErrorsInput
    far_side = False
    outputs = (OutputSpec("log_triage", "data", "Errors of the logs, grouped and counted"),)

    def run(self, input: GroupLogErrorsInput, context: ToolContext) -> ToolResult:
        """Read each log once; raises ToolInputError when there is none."""
        listing, named = _choose(input, context)
        triage = Triage(LEVELS.index(input.min_level))
        for path in [entry.path for entry in listing.files[:MAX_FILES]]:
            context.check_deadline()
            _read(path, context, listing, triage, named)
        if not triage.files:
            raise ToolInputError(_nothing(input, listing, named))
        value = {"path": input.path, **triage.value(input.max_groups), "problems": listing.problems}
        value["truncated"] = listing.truncated or len(listing.files) > MAX_FILES
        found = f"{plural(triage.total, 'error')} of {plural(len(triage.groups), 'kind')}"
        return ToolResult(value, f"{found} in {plural(len(triage.files), 'log')}.", untrusted=True)


def _choose(input: GroupLogErrorsInput, context: ToolContext) -> tuple[Listing, bool]:
    """The files to read, and whether they were named as logs: where none of a folder has a log's usual name, all of
    its files may be."""
    if not context.workspace.resolve_read(input.path).is_dir():
        return Listing(files=[_OneFile(input.path)]), True
    usual = input.pattern == DEFAULT_PATTERN
    listing = walk(context, input.path, pattern=_ANY_CASE if usual else input.pattern)
    if listing.files or not usual:
        return listing, True
    return walk(context, input.path), False


@dataclass(frozen=True)
class _OneFile:
    path: str


def _read(path: str, context: ToolContext, listing: Listing, triage: Triage, named: bool) -> None:
    try:
        data = context.workspace.read_bytes(path, limit=MAX_FILE_BYTES + 1)
    except ToolError as error:
        listing.problem(path, str(error))
        return
    if is_binary(data):
        listing.problem(path, "is binary (or compressed)")
        return
    decoded = decode(data[:MAX_FILE_BYTES])
    lines = lines_of(decoded.text)
    if not named and not looks_like_log(lines):
        listing.problem(path, "does not look like a log")
        return
    if len(data) > MAX_FILE_BYTES:
        listing.truncated = True
        listing.problem(path, f"only its first {MAX_FILE_BYTES:,} bytes were read")
    triage.read(path, lines, decoded.encoding, context.check_deadline)


def _nothing(input: GroupLogErrorsInput, listing: Listing, named: bool) -> str:
    """Why there is nothing to triage."""
    place = in_folder(input.path)
    if named and listing.files:
        passed = listing.problems[-_TOLD:]
        return f"No log could be read {place}: " + "; ".join(f"{p['path']} {p['problem']}" for p in passed) + "."
    why = f"none is named like {input.pattern}"
    if not named:
        why += f", and none of the {plural(len(listing.files), 'other file')} reads like one" * bool(listing.files)
    return f"There are no log files {place}: {why}."
