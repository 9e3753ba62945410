"""How a run of all tests is spread over worker processes: files stay whole, the drills follow one another."""

import os
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling

# Most of a test's time is waiting, for processes, browsers and deadlines.
WORKERS = (os.cpu_count() or 1) + 1
DRILLS = "tests/drills/"
LONG = ("drill", "browser")


class ByFile(LoadFileScheduling):
    """One file a worker at a time; all drills of killed and frozen workers in one piece."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def workers_for(config: pytest.Config) -> int:
    """Several for the whole suite; none for a choice, which would only wait for their start."""
    chosen = config.option.markexpr or config.option.keyword or getattr(config.option, "lf", False)
    asked = {Path(config.invocation_params.dir, path).resolve() for path in config.args}
    return 0 if chosen or asked != {config.rootpath / "tests"} else WORKERS


def sort(items: list[pytest.Item]) -> None:
    """Put files with real processes first, the drills before all, so that no worker is left with them at the end."""
    long = {scope_of(item.nodeid) for item in items if any(item.get_closest_marker(name) for name in LONG)}
    items.sort(key=lambda item: (scope_of(item.nodeid) != DRILLS, scope_of(item.nodeid) not in long))


def scope_of(nodeid: str) -> str:
    """What a test stays together with: its file, or all drills."""
    return DRILLS if nodeid.startswith(DRILLS) else nodeid.split("::", 1)[0]


def sendable(data: Any) -> Any:
    """Return a test's report as a worker can send it: what is logged of half a character is escaped."""
    if isinstance(data, str):
        return data.encode("utf-8", "backslashreplace").decode()
    if isinstance(data, dict):
        return {sendable(name): sendable(value) for name, value in data.items()}
    return type(data)(map(sendable, data)) if isinstance(data, list | tuple) else data
