"""References to artifacts inside JSON values (pure).

A text that is nothing but `@name`, `@name.path.0.key`, `@name:version` or `@name:2.path` stands for an artifact's value
or a part of it. A text that begins with `@@` stands for itself less one `@`. Every other text is literal, as are the
keys of objects. A value that was put in for a reference is not searched again.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from artifacts.exceptions import ArtifactError

MAX_NAME = 100
NAME = re.compile(r"[^\W\d][\w-]{0,99}")
REFERENCE = re.compile(rf"@(?P<name>{NAME.pattern})(?::(?P<version>[0-9]{{1,18}}))?(?P<path>(?:\.[\w-]+)*)")
SHOWN = 20


@dataclass(frozen=True)
class Reference:
    """`path` is the way into the value, one text per step; `version` is None for the latest."""

    name: str
    path: tuple[str, ...] = ()
    version: int | None = None

    def __str__(self) -> str:
        version = "" if self.version is None else f":{self.version}"
        return f"@{self.name}{version}" + "".join(f".{step}" for step in self.path)


class UnknownReference(ArtifactError, LookupError):
    """No artifact has this name (and version). The message says which ones there are."""

    def __init__(self, reference: Reference, known: Iterable[str] = ()):
        names = sorted(set(known))
        shown = ", ".join(f"@{name}" for name in names[:SHOWN]) or "none yet"
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        super().__init__(
            f"there is no artifact {_cut(str(reference))}; artifacts: {shown}{more}. "
            "A text that shall begin with @ is written @@"
        )
        self.reference = reference


class UnknownPath(ArtifactError, LookupError):
    """The artifact exists, but its value has nothing at this path."""

    def __init__(self, reference: Reference, segment: str, problem: str):
        super().__init__(f"{_cut(str(reference))}: no {_cut(segment)!r}: {problem}")
        self.reference = reference
        self.segment = segment


def parse(text: str) -> Reference | None:
    """The reference that the whole text is, or None for a literal."""
    match = REFERENCE.fullmatch(text) if text[:1] == "@" else None
    if match is None:
        return None
    version = match["version"]
    return Reference(match["name"], tuple(match["path"].split(".")[1:]), int(version) if version else None)


def escape(value: Any) -> Any:
    """The value that `resolve` turns back into this one: texts that begin with `@` get one more."""
    return _replace(value, lambda text: "@" + text if text[:1] == "@" else text)


def find(value: Any) -> tuple[Reference, ...]:
    """Every reference in the value, each once, in reading order."""
    return tuple(dict.fromkeys(found for text in _texts(value) if (found := parse(text))))


def resolve(value: Any, lookup: Callable[[Reference], Any], known: Callable[[], Iterable[str]] = tuple) -> Any:
    """A copy of the value in which every reference gave way to what it selects, and every escape to its text.

    `lookup` gives the whole value of an artifact, or raises a LookupError, which becomes an UnknownReference that
    lists the `known` names. Raises UnknownPath where a path does not exist.
    """

    def replace(text: str) -> Any:
        if text[:2] == "@@":
            return text[1:]
        reference = parse(text)
        return text if reference is None else select(reference, _look_up(reference, lookup, known))

    return _replace(value, replace)


def select(reference: Reference, value: Any) -> Any:
    """The part of the value at the reference's path. Raises UnknownPath."""
    for segment in reference.path:
        value = _step(reference, segment, value)
    return value


def _cut(text: str) -> str:
    return text if len(text) <= 2 * MAX_NAME else text[: 2 * MAX_NAME] + "…"


def _look_up(reference: Reference, lookup: Callable[[Reference], Any], known: Callable[[], Iterable[str]]) -> Any:
    try:
        return lookup(reference)
    except ArtifactError:
        raise
    except LookupError:
        raise UnknownReference(reference, known()) from None


def _step(reference: Reference, segment: str, value: Any) -> Any:
    if isinstance(value, dict):
        if segment in value:
            return value[segment]
        raise UnknownPath(reference, segment, f"its keys are {_shown(value)}")
    if isinstance(value, list):
        if segment.isascii() and segment.isdigit() and len(segment) <= 18 and int(segment) < len(value):
            return value[int(segment)]
        raise UnknownPath(reference, segment, f"it is a list of {len(value)}, counted from 0")
    raise UnknownPath(reference, segment, "it is neither an object nor a list")


def _shown(keys: Iterable[str]) -> str:
    names = [name[:MAX_NAME] for name in keys]
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "") or "none"


def _replace(value: Any, replace: Callable[[str], Any]) -> Any:
    """A copy with every text replaced; keeps its own stack, so that nesting has no limit."""
    top: list[Any] = [None]
    waiting: list[tuple[Any, Any, Any]] = [(top, 0, value)]
    while waiting:
        holder, place, item = waiting.pop()
        if isinstance(item, str):
            holder[place] = replace(item)
        elif isinstance(item, dict):
            holder[place] = dict.fromkeys(item)
            waiting.extend((holder[place], key, part) for key, part in reversed(item.items()))
        elif isinstance(item, list | tuple):
            holder[place] = [None] * len(item)
            waiting.extend((holder[place], index, item[index]) for index in reversed(range(len(item))))
        else:
            holder[place] = item
    return top[0]


def _texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend(reversed(item.values()))
        elif isinstance(item, list | tuple):
            waiting.extend(reversed(item))
