"""`search_files`: lines of the workspace's text files that hold a text or fit a pattern."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from pydantic import Field

from goals.tools import matching
from goals.tools.base import OutputSpec, Tool, ToolContext, ToolInput, ToolResult
from goals.tools.errors import ToolError, ToolInputError, ToolTimeout
from goals.tools.text import decode, is_binary, plural
from goals.tools.tree import Listing, in_folder, walk

MAX_FILE_BYTES = 4 * 1024 * 1024
MAX_REGEX_BYTES = 64 * 1024 * 1024
REGEX_SECONDS = 20.0


class SearchFilesInput(ToolInput):
    query: str | list[str] = Field(description="Text to look for, or several of which any may occur")
    path: str = Field(".", min_length=1, max_length=4096, description="Folder to search, relative to the workspace")
    pattern: str = Field("**", min_length=1, max_length=500, description="Glob of files to search, such as '*.py'")
    exclude: list[str] = Field(default_factory=list, max_length=50, description="Globs of files to leave out")
    regex: bool = Field(False, description="Treat the query as a regular expression; groups are given with each match")
    case_sensitive: bool = False
    whole_words: bool = Field(False, description="Match whole words only")
    context_lines: int = Field(0, ge=0, le=5, description="Lines before and after each match to give with it")
    files_required: bool = Field(False, description="Fail when there is no text file to search")
    max_matches: int = Field(500, ge=1, le=5000)


class SearchFiles(Tool):
    name = "search_files"
    description = (
        "Search the text files of a folder. Gives {query, matches: [{path, line, text, groups, before, after}], count, "
        "files_searched, by_file: [{path, matches}], truncated, problems: [{path, problem}]}."
    )
    Input = SearchFilesInput
    far_side = False
    outputs = (OutputSpec("search_results", "data", "Lines that match, by file, with what could not be searched"),)

    def run(self, input: SearchFilesInput, context: ToolContext) -> ToolResult:
        """Search every text file in order until the limit of matches or of time."""
        options = _options(input)
        listing = walk(context, input.path, pattern=input.pattern, exclude=input.exclude)
        search = _by_process if input.regex else _directly
        found, searched = search(input, options, listing, context)
        if input.files_required and not searched:
            raise ToolInputError(f"There are no text files {in_folder(input.path)} to search.")
        matches = [match for _, group in found for match in group][: input.max_matches]
        total = sum(len(group) for _, group in found)
        value = {
            "query": input.query,
            "matches": matches,
            "count": len(matches),
            "files_searched": searched,
            "by_file": [{"path": path, "matches": len(group)} for path, group in found],
            "truncated": listing.truncated or total > input.max_matches,
            "problems": listing.problems,
        }
        said = f"{plural(len(matches), 'match')} in {len(found)} of {plural(searched, 'file')}."
        return ToolResult(value, said, untrusted=True)


Found = list[tuple[str, list[dict[str, Any]]]]


def _options(input: SearchFilesInput) -> dict[str, Any]:
    queries = [input.query] if isinstance(input.query, str) else input.query
    if not 1 <= len(queries) <= 50 or any(not 1 <= len(query) <= 1000 for query in queries):
        raise ToolInputError("search_files: query must be 1 to 50 texts of 1 to 1,000 characters.")
    options = {"queries": queries, "regex": input.regex}
    options |= {"case_sensitive": input.case_sensitive, "whole_words": input.whole_words}
    try:
        matching.compile_query(**options)
    except (re.error, OverflowError, RecursionError) as error:
        raise ToolInputError(f"search_files: query is no regular expression: {error}.") from error
    return options


def _texts(listing: Listing, context: ToolContext) -> Iterator[tuple[str, str]]:
    for entry in listing.files:
        context.check_deadline()
        if entry.size > MAX_FILE_BYTES:
            listing.problem(entry.path, f"only its first {MAX_FILE_BYTES:,} bytes were searched")
        try:
            data = context.workspace.read_bytes(entry.path, limit=MAX_FILE_BYTES)
        except ToolError as error:
            listing.problem(entry.path, str(error))
            continue
        if not is_binary(data):
            yield entry.path, decode(data).text


def _directly(
    input: SearchFilesInput, options: dict[str, Any], listing: Listing, context: ToolContext
) -> tuple[Found, int]:
    pattern = matching.compile_query(**options)
    found: Found = []
    left, searched = input.max_matches, 0
    for path, text in _texts(listing, context):
        searched += 1
        if not pattern.search(text):
            continue
        matches = matching.find(pattern, path, text, input.context_lines, left + 1)
        left -= len(matches)
        if matches:
            found.append((path, matches))
        if left < 0:
            break
    return found, searched


def _by_process(
    input: SearchFilesInput, options: dict[str, Any], listing: Listing, context: ToolContext
) -> tuple[Found, int]:
    """The same in a process that can be stopped, since a pattern can backtrack for ever."""
    files, room = [], MAX_REGEX_BYTES
    for path, text in _texts(listing, context):
        room -= len(text)
        if room < 0:
            listing.truncated = True
            break
        files.append((path, text))
    request = {"options": options, "files": files, "around": input.context_lines, "limit": input.max_matches}
    command = [sys.executable, "-I", "-S", matching.__file__]
    seconds = max(min(REGEX_SECONDS, context.remaining()), 0.1)
    try:
        done = subprocess.run(
            command, input=json.dumps(request).encode(), capture_output=True, timeout=seconds, env={}, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ToolTimeout(f"The regular expression took longer than {seconds:.0f} s; make it simpler.") from error
    if done.returncode != 0:
        raise ToolError(f"The search process failed: {done.stderr.decode(errors='replace')[-500:]}")
    return json.loads(done.stdout), len(files)
