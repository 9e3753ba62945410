"""The real cluster of workers under the real supervisor, its processes killed one after the other."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from django.db import connection
from django_q.models import OrmQ

from goalsite import queueing
from goalsite.children import BASE_DIR
from tests.goalsite.processes import children, command_line, eventually, family
from tests.goalsite.redis_server import redis_server

pytestmark = pytest.mark.drill
PATIENCE = 60
CANARY = 3


class Site:
    """A supervisor that runs nothing but the workers, on the test's database."""

    def __init__(self, environment: dict[str, str], folder: Path, workers: int = 2) -> None:
        self.log = folder / "marks"
        self.log.touch()
        self.count = 0
        plan = {
            "locks": {},
            "data_dir": str(folder),
            "announcement": "up",
            "children": [
                {
                    "name": "workers",
                    "module": "goalsite.workers",
                    "arguments": [],
                    "sign_of_life": str(folder / "run" / "workers"),
                    "grace": 8.0,
                }
            ],
        }
        source, sink = os.pipe()
        with os.fdopen(sink, "w") as stream:
            json.dump(plan, stream)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "goalsite.supervisor", str(source)],
            cwd=BASE_DIR,
            pass_fds=[source],
            stdout=subprocess.PIPE,
            text=True,
            env={
                **environment,
                "DJANGO_SETTINGS_MODULE": "tests.goalsite.drill_settings",
                "GOALSITE_DATA_DIR": str(folder),
                "GOALSITE_WORKERS": str(workers),
                "GOALSITE_CANARY_SECONDS": str(CANARY),
                "GOALSITE_DRILL_LOG": str(self.log),
            },
        )
        os.close(source)
        assert self.process.stdout.readline() == "up\n"

    @property
    def main(self) -> int:
        return children(self.process.pid)[0]

    @property
    def sentinel(self) -> int:
        return children(self.main)[0]

    @property
    def forked(self) -> dict[str, int]:
        """The sentinel's children by their parts, as long as none was replaced."""
        found = children(self.sentinel)
        return dict(zip([*(f"worker{i}" for i in range(len(found) - 2)), "monitor", "pusher"], found, strict=True))

    def member(self, part: str) -> int:
        """The pid of one of them, once all are there."""
        eventually(self.is_whole, PATIENCE, "the cluster is whole")
        return self.forked[part]

    def marks(self) -> list[str]:
        return [line.split()[0] for line in self.log.read_text().splitlines()]

    def works(self) -> None:
        """A message that is sent now is run."""
        self.count += 1
        word = f"mark{self.count}"
        self.send("tests.goalsite.drill_tasks.mark", word)
        eventually(lambda: word in self.marks(), PATIENCE, f"{word} was run")

    def send(self, function: str, *given: object) -> None:
        """Through the queue of this test's own process."""
        queueing.send(function, *given)

    def is_whole(self) -> bool:
        return len(family(self.process.pid)) == 6

    def stop(self) -> float:
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.process.stdout.close()
        return time.monotonic() - began


@pytest.fixture
def site(site_environment: dict[str, str], tmp_path: Path) -> Iterator[Site]:
    found = Site(site_environment, tmp_path)
    yield found
    if found.process.poll() is None:
        found.stop()


def test_wake_ups_come_about_every_second_and_never_pile_up(site):
    site.works()
    before = site.marks().count("wake")
    time.sleep(4)
    assert 2 <= site.marks().count("wake") - before <= 8
    for word in ("a", "b"):
        queueing.send("tests.goalsite.drill_tasks.slow", word, 4)
    eventually(lambda: {"a-begun", "b-begun"} <= set(site.marks()), PATIENCE, "both workers are busy")
    time.sleep(3)
    assert OrmQ.objects.count() <= 2 + 2 + 3  # running, claimed by the pusher, and waiting (with a canary)
    eventually(lambda: {"a-done", "b-done"} <= set(site.marks()), PATIENCE, "both ended")
    site.works()


def test_word_that_a_goal_is_runnable_is_heard_at_once(site):
    site.works()
    time.sleep(0.5)
    took = []
    for _ in range(5):
        before, began = site.marks().count("wake"), time.monotonic()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify('goalsite_wake', '')")
        eventually(lambda before=before: site.marks().count("wake") > before, PATIENCE, "a worker woke")
        took.append(time.monotonic() - began)
        time.sleep(0.3)
    assert min(took) < 0.6


def test_a_task_longer_than_its_lease_is_run_once(site):
    queueing.send("tests.goalsite.drill_tasks.slow", "long", 5)
    eventually(lambda: "long-done" in site.marks(), PATIENCE, "it was run")
    time.sleep(3)
    assert site.marks().count("long-begun") == 1


def test_the_task_of_a_killed_worker_is_run_again_soon(site):
    queueing.send("tests.goalsite.drill_tasks.slow", "lost", 4)
    eventually(lambda: "lost-begun" in site.marks(), PATIENCE, "it was begun")
    line = next(line for line in site.log.read_text().splitlines() if line.startswith("lost-begun"))
    os.kill(int(line.split()[1]), signal.SIGKILL)
    eventually(lambda: "lost-done" in site.marks(), PATIENCE, "it was run again")


def test_the_pool_works_in_every_forked_worker(site):
    for number in range(20):
        queueing.send("tests.goalsite.drill_tasks.many_queries", f"pool{number}")
    eventually(lambda: {f"pool{n}" for n in range(20)} <= set(site.marks()), PATIENCE, "all were right")
    assert not [word for word in site.marks() if word.endswith("-wrong")]


def test_any_process_may_be_killed(site):
    for part in ("monitor", "pusher", "worker0", "worker1", "sentinel", "main"):
        site.works()
        before = family(site.process.pid)
        victim = {"main": lambda: site.main, "sentinel": lambda: site.sentinel}.get(part) or partial(site.member, part)
        os.kill(pid := victim(), signal.SIGKILL)
        eventually(partial(gone, [pid]), PATIENCE, f"{part} died")
        site.works()
        eventually(site.is_whole, PATIENCE, f"the cluster is whole after the {part} was killed")
        if part in ("main", "sentinel"):
            assert not set(before) & set(family(site.process.pid)), f"an orphan is left after the {part} was killed"


def gone(pids: list[int]) -> bool:
    return not any(command_line(pid) for pid in pids)


def test_the_idle_worker_that_holds_the_queues_lock_may_be_killed(site):
    """django-q2 hangs silently then: only the watchdog notices."""
    for _ in range(3 if os.environ.get("GOALSITE_DRILL") == "full" else 1):
        site.works()
        eventually(site.is_whole, PATIENCE, "the cluster is whole")
        eventually(partial(waiting_in_read, site), PATIENCE, "one worker waits in read")
        os.kill(waiting_in_read(site)[0], signal.SIGKILL)
        site.works()


def waiting_in_read(site: Site) -> list[int]:
    """The worker that holds the pipe's lock while it waits for a message; the others wait for the lock."""
    return [pid for part, pid in site.forked.items() if part.startswith("worker") and system_call(pid) == "0"]


def system_call(pid: int) -> str:
    return Path(f"/proc/{pid}/syscall").read_text().split()[0]


def test_a_frozen_main_process_is_noticed_by_nobody_but_goals_go_on(site):
    site.works()
    os.kill(site.main, signal.SIGSTOP)
    try:
        site.works()
    finally:
        os.kill(site.main, signal.SIGCONT)


def test_a_stop_asks_the_tasks_in_hand_and_leaves_nothing_behind(site):
    for word in ("a", "b"):
        queueing.send("tests.goalsite.drill_tasks.slow", word, 60)
    eventually(lambda: {"a-begun", "b-begun"} <= set(site.marks()), PATIENCE, "both are begun")
    everybody = family(site.process.pid)
    assert site.stop() < 30
    assert {"a-asked", "b-asked"} <= set(site.marks())
    assert gone(everybody)


def test_a_killed_supervisor_leaves_no_orphan(site):
    site.works()
    everybody = family(site.process.pid)
    site.process.kill()
    site.process.wait()
    site.process.stdout.close()
    eventually(partial(gone, everybody), PATIENCE, "all ended")


class RedisSite(Site):
    """The same on Redis, where only a process with the same environment can send."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        super().__init__(environment, folder)
        self.environment = environment

    def send(self, function: str, word: str) -> None:
        code = f"import django; django.setup(); from goalsite import queueing; queueing.send({function!r}, {word!r})"
        subprocess.run([sys.executable, "-c", code], cwd=BASE_DIR, env=self.environment, check=True)


@pytest.mark.redis
@pytest.mark.skipif(not shutil.which("redis-server") and not os.environ.get("CI"), reason="needs redis-server")
def test_the_same_over_redis(site_environment, tmp_path):
    with redis_server(tmp_path) as address:
        site = RedisSite({**site_environment, "REDIS_URL": address}, tmp_path)
        try:
            site.works()
            eventually(lambda: site.marks().count("wake") >= 2, PATIENCE, "wake-ups come")
            assert OrmQ.objects.count() == 0
            os.kill(site.sentinel, signal.SIGKILL)
            site.works()
        finally:
            assert site.stop() < 30
