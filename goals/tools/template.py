"""A small template syntax for reports: data only, no code, bounded in output and in steps.

`{{ path.to.value }}` prints a value; `|table |list |code |json |count` print it otherwise. `{{#path}}…{{/path}}` is
repeated for each item of a list, or shown once when there is something (not null, false, 0, "" or empty);
`{{^path}}…{{/path}}` is shown when there is nothing. In a section the item's own names come first;
`{{ . }}` is the item.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from goals.tools import markdown
from goals.tools.errors import ToolInputError

MAX_OUTPUT = 2_000_000
MAX_STEPS = 100_000
MAX_DEPTH = 8
_TAG = re.compile(r"\{\{([#^/]?)\s{0,20}([^{}\s|]{1,200})\s{0,20}(?:\|\s{0,20}([a-z]{1,20})\s{0,20})?\}\}")

# A section's tag alone on its line is no line of the report.
_ALONE = re.compile(r"^[ \t]{0,20}(\{\{[#^/][^{}\n]{1,250}\}\})[ \t]{0,20}\n", re.MULTILINE)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return markdown.bullets(value)
    return markdown.fields(value) if isinstance(value, dict) else markdown.scalar(value)


def _table(value: Any) -> str:
    return markdown.records_table(value if isinstance(value, list) else [value])


FILTERS: dict[str, Callable[[Any], str]] = {
    "table": _table,
    "list": lambda value: markdown.bullets(value if isinstance(value, list) else [value]),
    "code": lambda value: markdown.block(markdown.scalar(value)),
    "json": lambda value: markdown.block(json.dumps(value, ensure_ascii=False, indent=2)),
    "count": lambda value: str(len(value) if isinstance(value, list | dict | str) else 0 if value is None else 1),
}


@dataclass
class _Section:
    sign: str
    path: str
    parts: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class _Value:
    path: str
    filter: str | None


def render(source: str, data: Any) -> str:
    """The template filled with `data`; ToolInputError for a malformed template or a name that is not there."""
    return _Rendering(data).render(_parse(source))


def _parse(source: str) -> list[Any]:
    source = _ALONE.sub(r"\1", source)
    stack = [_Section("", "")]
    at = 0
    for tag in _TAG.finditer(source):
        stack[-1].parts.append(source[at : tag.start()])
        at = tag.end()
        sign, path, name = tag.groups()
        if name and (sign or name not in FILTERS):
            raise ToolInputError(f"inline: {tag[0]}: filters are {', '.join(FILTERS)}, for values only.")
        if sign == "/":
            if len(stack) == 1 or stack[-1].path != path:
                raise ToolInputError(f"inline: {tag[0]} closes no open section.")
            stack.pop()
        elif sign:
            section = _Section(sign, path)
            stack[-1].parts.append(section)
            stack.append(section)
            if len(stack) > MAX_DEPTH:
                raise ToolInputError(f"inline: sections may be nested at most {MAX_DEPTH} deep.")
        else:
            stack[-1].parts.append(_Value(path, name))
    if len(stack) > 1:
        raise ToolInputError(f"inline: the section {stack[-1].path!r} is not closed.")
    stack[0].parts.append(source[at:])
    return stack[0].parts


class _Rendering:
    def __init__(self, data: Any):
        self.scopes, self.pieces = [data], []
        self.size = self.steps = 0

    def render(self, parts: list[Any]) -> str:
        self._parts(parts)
        return "".join(self.pieces)

    def _parts(self, parts: list[Any]) -> None:
        for part in parts:
            self.steps += 1
            if self.steps > MAX_STEPS:
                raise ToolInputError(f"inline: the template takes more than {MAX_STEPS:,} steps.")
            if isinstance(part, str):
                self._emit(part)
            elif isinstance(part, _Value):
                self._value(part)
            else:
                self._section(part)

    def _value(self, part: _Value) -> None:
        found, value = self._look_up(part.path)
        if not found:
            raise ToolInputError(f"inline: there is no {part.path!r}; there is {self._known()}.")
        self._emit(FILTERS[part.filter](value) if part.filter else _text(value))

    def _section(self, part: _Section) -> None:
        found, value = self._look_up(part.path)
        something = found and bool(value)
        if part.sign == "^":
            if not something:
                self._parts(part.parts)
            return
        for item in (value if isinstance(value, list) else [value]) if something else []:
            self.scopes.append(item)
            self._parts(part.parts)
            self.scopes.pop()

    def _look_up(self, path: str) -> tuple[bool, Any]:
        if path == ".":
            return True, self.scopes[-1]
        first, *rest = path.split(".")
        for scope in reversed(self.scopes):
            found, value = _step(scope, first)
            if found:
                break
        else:
            return False, None
        for name in rest:
            found, value = _step(value, name)
            if not found:
                return False, None
        return True, value

    def _emit(self, text: str) -> None:
        self.size += len(text)
        if self.size > MAX_OUTPUT:
            raise ToolInputError(f"inline: the report has more than {MAX_OUTPUT:,} characters.")
        self.pieces.append(text)

    def _known(self) -> str:
        names = [name for scope in reversed(self.scopes) if isinstance(scope, dict) for name in scope]
        return ", ".join(names[:30]) or "nothing with a name"


def _step(value: Any, name: str) -> tuple[bool, Any]:
    if isinstance(value, dict) and name in value:
        return True, value[name]
    if isinstance(value, list) and name.isascii() and name.isdigit() and len(name) < 8 and int(name) < len(value):
        return True, value[int(name)]
    return False, None
