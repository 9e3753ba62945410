"""Exceptions in the lines of a log: which class was raised, with what text, and what lay behind it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

LONGEST = 2000
_EXCEPTION = re.compile(
    r"^\s{0,8}(?P<cause>Caused by: )?(?:Exception in thread \S{1,100} )?"
    r"(?P<name>(?:[A-Za-z_]\w{0,80}[.$]){0,12}[A-Z]\w{0,80})(?::\s|$)"
)
_NAME = re.compile(r"(?:Error|Exception|Exit|Interrupt|Failure|Fault|Timeout|Warning|NotFound|DoesNotExist)$")
_DIRECT_CAUSE = "The above exception was the direct cause"
_FRAME = re.compile(r"^(?:\s+at \S|\s+File \"|\s+\.\.\. \d|Caused by: |Traceback \(most recent)")


@dataclass(frozen=True)
class Raised:
    """An exception: its class, its line, and the class of its root cause ("" when none is told)."""

    name: str
    text: str
    cause: str = ""


def raised_in(lines: Iterable[str]) -> Raised | None:
    """The exception that these lines tell of; of a chain as Python prints it, the last, which came out."""
    name = text = cause = ""
    for line in lines:
        if line.startswith(_DIRECT_CAUSE):
            cause = cause or name
            continue
        found = _match(line)
        if found and found["cause"]:
            cause = found["name"]
        elif found:
            name, text = found["name"], line[:LONGEST].strip()
    if not name:
        return Raised(cause, cause) if cause else None
    return Raised(name, text, cause)


def is_exception(line: str) -> bool:
    """Whether the line is an exception's own: its class, and its text after a colon."""
    return _match(line) is not None


def is_frame(line: str) -> bool:
    """Whether the line is of a stack trace."""
    return _FRAME.match(line) is not None


def _match(line: str) -> re.Match[str] | None:
    found = _EXCEPTION.match(line[:LONGEST])
    return found if found and _NAME.search(found["name"]) else None
