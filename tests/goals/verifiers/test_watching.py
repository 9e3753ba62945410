"""The watcher by itself, without namespaces: the whole group ends, in every case."""

import subprocess
import time
from pathlib import Path

import pytest

from goals.verifiers.watching import watch


def start(command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["/bin/sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )


@pytest.mark.parametrize(("after", "stopped"), [("exit 0", ""), ("sleep 30", "time")])
def test_the_whole_group_is_killed(after, stopped):
    process = start(f"sleep 30 & echo $!; {after}")
    outcome = watch(process, 0.5, 1000, 100)
    assert outcome.stopped == stopped
    assert _ends(int(outcome.text))


def test_output_without_end_is_stopped_long_before_the_time():
    outcome = watch(start("yes"), 20, 1 << 20, 100)
    assert outcome.stopped == "output"
    assert outcome.seconds < 10


def _ends(pid: int) -> bool:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state in "ZX":
            return True
        time.sleep(0.05)
    return False
