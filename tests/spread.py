"""How a run of all tests is spread over worker processes: files stay whole, the drills follow one another."""

import os
from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling

# Most of a test's time is waiting, for processes, browsers and deadlines.
WORKERS = (os.cpu_count() or 1) + 1
# What takes longest begins first, so that no worker is left with it at the end.
DRILLS = "tests/drills/"
LONGEST = (
    DRILLS,
    "tests/goals/api/test_contract.py",
    "tests/browser/",
    "tests/goalsite/",
    "tests/goals/commands/",
    "tests/scenarios/",
)


class ByFile(LoadFileScheduling):
    """One file a worker at a time; all drills of killed and frozen workers in one piece."""

    def _split_scope(self, nodeid: str) -> str:
        return DRILLS if nodeid.startswith(DRILLS) else nodeid.split("::", 1)[0]


def workers_for(config: pytest.Config) -> int:
    """Several for the whole suite; none for a choice, which would only wait for their start."""
    chosen = config.option.markexpr or config.option.keyword or getattr(config.option, "lf", False)
    asked = {Path(config.invocation_params.dir, path).resolve() for path in config.args}
    return 0 if chosen or asked != {config.rootpath / "tests"} else WORKERS


def rank(nodeid: str) -> int:
    """The place of a test's room: the lower, the earlier."""
    return next((place for place, room in enumerate(LONGEST) if nodeid.startswith(room)), len(LONGEST))
