"""A whole site, idle and killed: `python -m tests.benchmarks.site [--kills 3]`.

Starts `manage.py up` with 2 workers on a fresh data folder. Prints the memory of all its processes together when idle
(proportional set size, so that shared pages count once), how soon a submitted goal is picked up, and the time from
`kill -9` of everything that works on goals to the next effect, beside the lease.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.checkpoints import script

LEASE = 5


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def processes_of(root: int) -> list[int]:
    """The process and everything below it, plus the database's keeper and servers of its data folder."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
    found, grown = {root}, True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        found, grown = found | more, bool(more)
    return sorted(found)


def database_of(data: Path) -> list[int]:
    """The keeper of this data folder with its Postgres."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"goalsite.keeper" in words and str(data).encode() in words:
                return processes_of(int(entry.name))
    return []


def pss(pids: list[int]) -> float:
    """Proportional set size in MB."""
    total = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def workers_of(root: int) -> list[int]:
    """The main process of the workers and everything below it."""
    for pid in processes_of(root):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if b"goalsite.workers" in words:
            return processes_of(pid)
    return []


class Log:
    """The endpoint's log: one line a request."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def times(self) -> list[float]:
        return [json.loads(line)["at"] for line in self.path.read_text().splitlines()]

    def next_after(self, moment: float, patience: float = 60) -> float:
        give_up_at = time.time() + patience
        while time.time() < give_up_at:
            later = [at for at in self.times() if at > moment]
            if later:
                return later[0]
            time.sleep(0.01)
        raise TimeoutError("no request came")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=3)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="goalsite-site-"))
    acts = script(20)
    acts["act"] = {**acts["act"], "delay": 0.3}
    (folder / "script.json").write_text(json.dumps(acts))
    (folder / "log").touch()
    command = [sys.executable, "-m", "tests.endpoint", "--port", "0", "--log", str(folder / "log")]
    endpoint = subprocess.Popen([*command, "--script", str(folder / "script.json")], stdout=subprocess.PIPE, text=True)
    environment = {
        **os.environ,
        "GOALSITE_DATA_DIR": str(folder / "data"),
        "OPENAI_BASE_URL": endpoint.stdout.readline().split()[-1],
        "OPENAI_API_KEY": "benchmark",
        "GOALSITE_MODEL_PRICE": "1/2",
        "GOALSITE_LEASE_SECONDS": str(LEASE),
    }
    environment.pop("DATABASE_URL", None)
    began = time.time()
    site = subprocess.Popen(
        [sys.executable, "manage.py", "up", "--port", str(free_port()), "--workers", "2"],
        env=environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        while site.stdout.readline().strip() != "READY":
            assert site.poll() is None, "the site did not start"
        print(f"start to READY on a fresh data folder: {time.time() - began:.1f} s")
        time.sleep(10)
        site_pids, database_pids = processes_of(site.pid), database_of(folder / "data")
        print(f"idle, {len(site_pids)} processes of the site: {pss(site_pids):.0f} MB")
        print(f"idle, {len(database_pids)} processes of the database: {pss(database_pids):.0f} MB")
        print(f"idle in all: {pss(site_pids) + pss(database_pids):.0f} MB")
        drill(site, environment, Log(folder / "log"), options.kills)
    finally:
        began = time.time()
        site.send_signal(signal.SIGTERM)
        site.wait(60)
        print(f"stopped with goals in flight within {time.time() - began:.1f} s")
        endpoint.terminate()
        endpoint.wait(10)


def drill(site: subprocess.Popen, environment: dict[str, str], log: Log, kills: int) -> None:
    """Submit a goal, then kill the workers again and again while it runs."""
    submitted = time.time()
    subprocess.run(
        [sys.executable, "manage.py", "goal", "Look at every part of it", "--detach", "--json"],
        env=environment, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    print(f"first effect after `goal --detach` was started: {log.next_after(submitted) - submitted:.1f} s")
    for _ in range(kills):
        time.sleep(2)
        killed = time.time()
        for pid in workers_of(site.pid):
            os.kill(pid, signal.SIGKILL)
        print(f"next effect after kill -9: {log.next_after(killed + 0.05) - killed:.1f} s (lease {LEASE} s)")


if __name__ == "__main__":
    main()
