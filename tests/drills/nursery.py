"""Worker processes on demand: a process that has the site loaded and forks a worker for each line it is told.

    {"only": [goal ids] or null, "strike": {what, point, mark, signal} or null}      answered by the worker's pid

A worker drives what is runnable until it is killed; when the nursery's standard input ends, all of them are.
"""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import django

django.setup()

from goals import tasks  # noqa: E402
from goals.effects import act, calls, people, plan, reflect, tool_use, tree_work, verify  # noqa: E402
from goals.effects.tool_calls import outcomes  # noqa: E402
from goals.llm import port  # noqa: E402
from goals.webhooks import sending  # noqa: E402
from tests.drills import points, tools  # noqa: E402

SLICE = 5.0


def patch() -> None:
    """Let this process reach the points around calls and records; the product knows nothing of it."""
    complete, recording = port.complete, calls.recording
    ask, record = sending.ask, sending._record

    def asking(*given: Any, **named: Any) -> Any:
        points.reach("before", "webhook")
        reply = ask(*given, **named)
        points.reach("after", "webhook")
        return reply

    def noting(*given: Any) -> None:
        record(*given)
        points.reach("recorded", "webhook")

    sending.ask, sending._record = asking, noting

    def completing(request: port.Request) -> port.Completion:
        points.reach("before", request.reply or "")
        done = complete(request)
        points.reach("after", request.reply or "")
        return done

    @contextmanager
    def recorded(drive: Any, *made: calls.Call) -> Iterator[Any]:
        with recording(drive, *made) as writer:
            yield writer
            for call in made:
                points.reach("recording", name_of(call))
        for call in made:
            points.reach("recorded", name_of(call))

    port.complete = completing
    for module in (act, calls, outcomes, people, plan, reflect, tool_use, tree_work, verify):
        if hasattr(module, "recording"):
            module.recording = recorded


def name_of(call: calls.Call) -> str:
    return getattr(call.row, "tool", "") or getattr(call.row, "purpose", "")


def work(only: list[str] | None, strike: dict[str, Any] | None, parent: int) -> None:
    """Be a worker."""
    points.arm(points.Strike(**strike) if strike else None)
    while os.getppid() == parent:
        if only is None:
            tasks.drive_runnable(SLICE)
        else:
            tasks.Slice(lambda: False, only=only).run()


def main() -> None:
    tools.register()
    patch()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    pids = []
    for line in iter(sys.stdin.readline, ""):
        told = json.loads(line)
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            os.close(0)
            try:
                work(told["only"], told["strike"], parent)
            finally:
                os._exit(1)
        pids.append(pid)
        print(pid, flush=True)
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


if __name__ == "__main__":
    main()
