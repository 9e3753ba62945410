"""What a check found: well, worth knowing, or broken; and what to do about it."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How well it is; a `fail` is what keeps goals from being done, or puts them at risk."""

    WELL = "pass"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True)
class Finding:
    """`remedy` is empty for what passes, and else says what to do."""

    level: Level
    found: str
    remedy: str = ""


def well(found: str) -> Finding:
    return Finding(Level.WELL, found)


def warn(found: str, remedy: str) -> Finding:
    return Finding(Level.WARN, found, remedy)


def fail(found: str, remedy: str) -> Finding:
    return Finding(Level.FAIL, found, remedy)
