"""The triage of log files, from `group_log_errors`."""

from typing import Any

from goals.tools.log_entries import LEVELS
from goals.tools.markdown import block, code, heading, inline, table
from goals.tools.reports.shape import expect, problems
from goals.tools.text import plural

_DETAILED = 20


def pieces(title: str, data: Any) -> list[str]:
    """Counts by level, the groups by frequency, then an example of each."""
    data = expect(data, "log_triage", "group_log_errors", groups=list, levels=dict, files=list)
    groups = data["groups"]
    shown = [heading(1, title or "Log triage"), _verdict(data), _levels(data["levels"]), _answers(data.get("answers"))]
    shown += [heading(2, "Errors by frequency"), _groups(groups) if groups else "There is none."]
    if groups:
        shown += [heading(2, "Examples"), *(p for n, g in enumerate(groups[:_DETAILED], 1) for p in _detail(n, g))]
    shown += [heading(2, "Files"), _files(data["files"])]
    return [*shown, *problems(data)]


def _verdict(data: dict[str, Any]) -> str:
    found = f"**{plural(data.get('total', 0), 'error')} of {plural(data.get('group_count', 0), 'kind')}**"
    return f"{found} in {plural(data.get('lines', 0), 'line')} of {plural(len(data['files']), 'file')}."


def _levels(levels: dict[str, Any]) -> str:
    """The levels, the most serious first."""
    known = [level for level in LEVELS if level in levels]
    rows = [[level, inline(levels[level])] for level in (*known, *sorted(levels.keys() - known))]
    return table(["Level", "Entries"], rows) if rows else "No entry has a level."


def _answers(answers: Any) -> str:
    """How the answers in access logs were counted; nothing when there are none."""
    if not isinstance(answers, dict) or not answers:
        return ""
    found = ", ".join(f"{inline(count)} of {inline(status)}" for status, count in sorted(answers.items()))
    return f"Answers in access logs: {found}. Those of 5xx count as errors, of 4xx as warnings, all others as info."


def _groups(groups: list[dict[str, Any]]) -> str:
    header = ["#", "Count", "Level", "Message", "Exception", "First", "Last"]
    rows = []
    for number, g in enumerate(groups, 1):
        said = [inline(g.get("level")), inline(g.get("message"), 160), _exception(g)]
        rows.append([str(number), str(g.get("count", 0)), *said, inline(g.get("first")), inline(g.get("last"))])
    return table(header, rows)


def _name(group: dict[str, Any]) -> str:
    message, exception = str(group.get("message", "")), str(group.get("exception") or "")
    return f"{message[:120]} ({exception})" if exception and exception not in message else message[:120]


def _exception(group: dict[str, Any]) -> str:
    cause = f" (caused by {inline(group['cause'])})" if group.get("cause") else ""
    return inline(group.get("exception")) + cause


def _detail(number: int, group: dict[str, Any]) -> list[str]:
    files = ", ".join(code(f) for f in group.get("files") or [])
    shown = [
        heading(3, f"{number}. {_name(group)}"[:160]),
        f"{plural(group.get('count', 0), 'time')} in {files}",
    ]
    examples = [e for e in group.get("examples") or [] if isinstance(e, dict)]
    for e in examples[:1]:
        shown += [f"From {code(e.get('path'))}, line {e.get('line')}:", block(str(e.get("text", "")))]
    return shown


def _files(files: list[dict[str, Any]]) -> str:
    rows = [
        [
            code(f.get("path")),
            inline(f.get("lines")),
            inline(f.get("entries")),
            inline(f.get("errors")),
            inline(f.get("encoding")),
        ]
        for f in files
    ]
    return table(["File", "Lines", "Entries", "Errors", "Encoding"], rows) if rows else "There is none."
