"""Pieces of Markdown from values, escaped so that no value changes the layout."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

MAX_CELL = 300
_SPECIAL = re.compile(r"([\\`*\[\]<|~]|(?<!\w)_|_(?!\w))")
# What would begin a heading, a list or a quotation at the start of a line.
_STARTER = re.compile(r"^(?=[#+>-])|^(\d{1,9})(?=[.)])")


def scalar(value: Any) -> str:
    """A value in one line as a person reads it: yes and no for booleans, nothing for null, JSON for structures."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(not isinstance(item, list | dict) for item in value):
        return ", ".join(scalar(item) for item in value)
    return json.dumps(value, ensure_ascii=False)


def inline(value: Any, limit: int = MAX_CELL) -> str:
    """A value as escaped text within one line."""
    text = " ".join(scalar(value).split())
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return _SPECIAL.sub(r"\\\1", text)


def line(value: Any, limit: int = 2000) -> str:
    """Like `inline`, for text that begins a line or a bullet."""
    return _STARTER.sub(lambda m: f"{m[1] or ''}\\", inline(value, limit))


def code(value: Any, limit: int = MAX_CELL) -> str:
    """A value as inline code, in which a table's pipe and backquotes do no harm."""
    text = " ".join(scalar(value).split())[:limit]
    if not text:
        return ""
    fence = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def heading(level: int, value: Any) -> str:
    """A heading of one line."""
    return f"{'#' * min(max(level, 1), 6)} {inline(value, 500) or '(untitled)'}"


def block(text: str) -> str:
    """A fenced block that its content cannot close."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"


def bullets(items: Iterable[Any]) -> str:
    """A bullet for each item."""
    return "\n".join(f"- {line(item)}" for item in items)


def fields(record: dict[str, Any]) -> str:
    """An object as bullets of its fields."""
    return "\n".join(f"- **{inline(key)}**: {inline(value, 2000)}" for key, value in record.items())


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already (see `inline` and `code`); missing cells are empty."""
    lines = [_row(header), _row(["---"] * len(header))]
    lines += [_row([*row, *[""] * len(header)][: len(header)]) for row in rows]
    return "\n".join(lines)


def records_table(records: Sequence[Any], columns: Sequence[str] | None = None, limit: int = 1000) -> str:
    """A list of objects as a table; columns in order of first appearance unless they are named."""
    named = list(columns or _columns(records))
    if not named:
        return bullets(records[:limit])
    shown = [[inline(_cell(r, name)) for name in named] for r in records[:limit]]
    text = table([inline(_title(name)) for name in named], shown)
    more = len(records) - len(shown)
    return f"{text}\n\n({more:,} more rows are not shown.)" if more > 0 else text


def _cell(record: Any, column: str) -> Any:
    return record.get(column) if isinstance(record, dict) else None


def _columns(records: Sequence[Any]) -> list[str]:
    names: dict[str, None] = {}
    for record in records[:1000]:
        if isinstance(record, dict):
            names.update(dict.fromkeys(map(str, record)))
    return list(names)[:30]


def _title(name: str) -> str:
    text = name.replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("\n", " ") for cell in cells) + " |"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
