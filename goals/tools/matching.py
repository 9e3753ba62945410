"""Find lines by a compiled pattern. Standard library only: it also runs as a process of its own, as a program that
reads a JSON request on standard input, because a regular expression can take for ever and cannot be interrupted.
"""

import io
import json
import re
import sys
from typing import Any

_MAX_LINE = 2000
_SHOWN = 400


def compile_query(queries: list[str], *, regex: bool, case_sensitive: bool, whole_words: bool) -> re.Pattern[str]:
    """One pattern for all queries; re.error when one is no regular expression."""
    parts = queries if regex else [re.escape(query) for query in queries]
    text = "|".join(f"(?:{part})" for part in parts) if len(parts) > 1 else parts[0]
    if whole_words:
        text = rf"(?<!\w)(?:{text})(?!\w)"
    return re.compile(text, 0 if case_sensitive else re.IGNORECASE)


def find(pattern: re.Pattern[str], path: str, text: str, around: int, limit: int) -> list[dict[str, Any]]:
    """Up to `limit` matching lines of one text; of a very long line only the beginning is looked at."""
    lines = [line.rstrip("\r\n") for line in io.StringIO(text, newline="")]
    matches: list[dict[str, Any]] = []
    for number, line in enumerate(lines):
        found = pattern.search(line[:_MAX_LINE])
        if not found:
            continue
        if len(matches) == limit:
            break
        matches.append(
            {
                "path": path,
                "line": number + 1,
                "text": _cut(line),
                "groups": [group if group is None else _cut(group) for group in found.groups()],
                "before": [_cut(other) for other in lines[max(number - around, 0) : number]],
                "after": [_cut(other) for other in lines[number + 1 : number + 1 + around]],
            }
        )
    return matches


def _cut(line: str) -> str:
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def main() -> None:
    """Answer one request {options, files: [[path, text]], around, limit} with [[path, matches]]."""
    request = json.load(sys.stdin)
    pattern = compile_query(**request["options"])
    left, found = request["limit"], []
    for path, text in request["files"]:
        matches = find(pattern, path, text, request["around"], left + 1)
        left -= len(matches)
        if matches:
            found.append([path, matches])
        if left < 0:
            break
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
