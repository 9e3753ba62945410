"""Any JSON value as a readable report: objects as sections, lists of objects as tables, texts as paragraphs."""

from collections.abc import Iterable
from typing import Any

from goals.tools.markdown import bullets, fields, heading, line, records_table

_DEPTH = 3


def pieces(title: str, data: Any) -> list[str]:
    """The title, then the data."""
    return [heading(1, title or "Report"), *_value(2, data)]


def section(level: int, name: str, values: Iterable[Any], columns: list[str] | None = None) -> str:
    """A heading with everything that is given under it; says so when that is nothing."""
    shown = [piece for value in values if value is not None for piece in _value(level + 1, value, columns)]
    return "\n\n".join([heading(level, name), *(shown or ["(nothing)"])])


def _value(level: int, value: Any, columns: list[str] | None = None) -> list[str]:
    if value is None:
        return []
    if isinstance(value, dict):
        return _object(level, value)
    if isinstance(value, list):
        return [_list(value, columns)]
    return [_paragraphs(value)]


def _paragraphs(value: Any) -> str:
    """A text is Markdown of its author's; anything else one escaped line."""
    return (value.strip() or "(empty)") if isinstance(value, str) else line(value)


def _list(value: list[Any], columns: list[str] | None) -> str:
    if not value:
        return "(none)"
    return records_table(value, columns) if all(isinstance(v, dict) for v in value) else bullets(value)


def _object(level: int, value: dict[str, Any]) -> list[str]:
    """Simple fields first as bullets, then a section for each long or structured one."""
    simple = {k: v for k, v in value.items() if _is_simple(v)}
    shown = [fields({_title(k): v for k, v in simple.items()})] if simple else []
    for key, inner in value.items():
        if key in simple:
            continue
        if level > _DEPTH + 2:
            shown.append(fields({_title(key): inner}))
        else:
            shown += [heading(level, _title(key)), *(_value(level + 1, inner) or ["(nothing)"])]
    return shown


def _is_simple(value: Any) -> bool:
    return not isinstance(value, dict | list) and not (
        isinstance(value, str) and (len(value) > 200 or "\n" in value.strip())
    )


def _title(key: str) -> str:
    text = str(key).replace("_", " ").strip()
    return text[:1].upper() + text[1:]
