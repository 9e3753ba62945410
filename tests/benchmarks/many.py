"""Many goals at once: `python -m tests.benchmarks.many [--goals 100] [--checkpoints 20] [--delay 0.2]`.

A whole site with 2 worker processes on a fresh data folder, and an endpoint in a process of its own that takes `delay`
seconds a call. Each checkpoint is two calls: act, whose evidence is the checkpoint's condition, and a summary. Prints
wall time beside the ideal (the calls of one goal one after the other), CPU seconds, the peak memory of all processes,
and how many calls were in flight over time.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.site import database_of, free_port, processes_of, pss

DONE = {"status": "done", "result": "The part was looked at; it holds nothing.", "outputs": []}
NONE_FITS = {"sop": None, "confidence": 0, "missing_prerequisites": [], "inputs": {}, "reasoning": "-"}
TICKS = os.sysconf("SC_CLK_TCK")


def script(checkpoints: int, delay: float) -> dict[str, Any]:
    """The endpoint's script: every reply takes `delay` seconds."""
    steps = [
        {
            "title": f"Step {number}",
            "description": f"Look at part {number}",
            "success_criteria": f"part {number} was looked at",
            "predicate": "execute",
            "args": {},
            "operation": "think",
            "tools": [],
            "evidence_key": f"part_{number}",
            "done_when": [{"kind": "has_evidence", "key": f"part_{number}"}],
            "verifier": None,
        }
        for number in range(checkpoints)
    ]
    replies = {
        "judge_applicability": NONE_FITS,
        "plan_checkpoints": {"checkpoints": steps, "reasoning": "by parts"},
        "act": DONE,
        "judge_outcome": {"met": True, "score": 1, "reason": "seen", "evidence": ""},
        "summarise_context": {"summary": "Parts were looked at."},
    }
    return {name: {"reply": reply, "delay": delay} for name, reply in replies.items()}


def inside(goals: int) -> None:
    """In a process with the site's settings: submit the goals, wait for their ends, print what they came to."""
    import django

    django.setup()
    from django.contrib.auth import get_user_model

    from goals import services
    from goals.models import Goal, ModelCall

    owner, _ = get_user_model().objects.get_or_create(username="many")
    wishes: dict[str, Any] = {"limits": {"model_calls": None, "seconds": None, "cost_usd": None, "tokens": None}}
    wishes["options"] = {"evaluate_every": 1_000_000}
    began = time.time()
    for number in range(goals):
        services.submit(owner=owner, objective=f"Look at every part of it, number {number}", **wishes)
    submitted, most = time.time(), 0
    mine = Goal.objects.filter(owner=owner)
    while mine.filter(finished_at=None).exists():
        most = max(most, mine.filter(lease_expires_at__isnull=False).count())
        time.sleep(0.25)
    ended = {status: mine.filter(status=status).count() for status in mine.values_list("status", flat=True)}
    calls = ModelCall.objects.filter(goal__owner=owner).count()
    found = {"began": began, "submitted": submitted, "ended": time.time(), "most": most, "status": ended}
    print(json.dumps({**found, "calls": calls}))


class Watch(threading.Thread):
    """Samples the memory of all processes; `peak` in MB."""

    def __init__(self, site: int, data: Path) -> None:
        super().__init__()
        self.site, self.data, self.peak, self.over = site, data, 0.0, threading.Event()

    def run(self) -> None:
        while not self.over.wait(2):
            self.peak = max(self.peak, pss(processes_of(self.site)) + pss(database_of(self.data)))


def cpu_of(pids: list[int]) -> float:
    """CPU seconds of these processes and of their ended children."""
    total = 0
    for pid in pids:
        try:
            words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        total += sum(int(word) for word in words[11:15])
    return total / TICKS


def in_flight(times: list[float], delay: float, began: float) -> list[int]:
    """Calls in flight at each whole second from `began`."""
    if not times:
        return []
    seconds = range(int(max(times) - began) + 2)
    return [sum(began + second - delay < at <= began + second for at in times) for second in seconds]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goals", type=int, default=100)
    parser.add_argument("--checkpoints", type=int, default=20)
    parser.add_argument("--delay", type=float, default=0.2)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        inside(options.goals)
        return
    folder = Path(tempfile.mkdtemp(prefix="goalsite-many-"))
    (folder / "script.json").write_text(json.dumps(script(options.checkpoints, options.delay)))
    (folder / "log").touch()
    command = [sys.executable, "-m", "tests.endpoint", "--port", "0", "--log", str(folder / "log")]
    endpoint = subprocess.Popen([*command, "--script", str(folder / "script.json")], stdout=subprocess.PIPE, text=True)
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "goalsite.settings",
        "GOALSITE_DATA_DIR": str(folder / "data"),
        "OPENAI_BASE_URL": endpoint.stdout.readline().split()[-1],
        "OPENAI_API_KEY": "benchmark",
        "GOALSITE_MODEL_PRICE": "1/2",
    }
    environment.pop("DATABASE_URL", None)
    site = subprocess.Popen(
        [sys.executable, "manage.py", "up", "--port", str(free_port()), "--workers", "2"],
        env=environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        while site.stdout.readline().strip() != "READY":
            assert site.poll() is None, "the site did not start"
        measure(options, folder, environment, site.pid, endpoint.pid)
    finally:
        site.send_signal(signal.SIGTERM)
        site.wait(60)
        endpoint.terminate()
        endpoint.wait(10)


def measure(options: argparse.Namespace, folder: Path, environment: dict[str, str], site: int, endpoint: int) -> None:
    """Run the goals and print the figures."""
    watch = Watch(site, folder / "data")
    watch.start()
    pids, database = processes_of(site), database_of(folder / "data")
    before = cpu_of(pids), cpu_of(database), cpu_of([endpoint])
    ran = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.many", "--inside", "--goals", str(options.goals)],
        env={**environment, "PYTHONPATH": os.getcwd()}, check=True, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    after = cpu_of(processes_of(site)), cpu_of(database_of(folder / "data")), cpu_of([endpoint])
    watch.over.set()
    watch.join()
    found = json.loads(ran.stdout.splitlines()[-1])
    times = [json.loads(line)["at"] for line in (folder / "log").read_text().splitlines()]
    wall, ideal = found["ended"] - found["began"], found["calls"] / options.goals * options.delay
    print(f"{options.goals} goals of {options.checkpoints} checkpoints: {found['status']}, {found['calls']} calls")
    print(f"submitted within {found['submitted'] - found['began']:.1f} s")
    print(f"wall {wall:.1f} s, ideal {ideal:.1f} s, ratio {wall / ideal:.2f}")
    print(f"cpu: site {after[0] - before[0]:.1f} s, database {after[1] - before[1]:.1f} s, "
          f"endpoint {after[2] - before[2]:.1f} s")  # fmt: skip
    print(f"peak memory of the site with its database: {watch.peak:.0f} MB")
    print(f"goals under a lease at once: {found['most']}")
    flight = in_flight(times, options.delay, found["began"])
    print(f"calls in flight at each second: {' '.join(map(str, flight))}")


if __name__ == "__main__":
    main()
