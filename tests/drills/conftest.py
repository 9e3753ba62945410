"""The parts of a drill: an outside, a model endpoint and workers, each a process of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection

from goals import services
from goals.models import Goal
from goalsite.children import BASE_DIR
from tests.drills import receiver, tools
from tests.goals.effects import work
from tests.goalsite.processes import eventually
from tests.session import database_url

FULL = os.environ.get("GOALSITE_DRILL") == "full"
LEASE = 2  # seconds; with less, a busy machine takes live workers for dead ones


class Site:
    """Receiver, endpoint and a nursery of workers around one database."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.folder, self.processes, self.marks = folder, [], 0
        self.workers: list[int] = []
        self.seen = {"received": 0, "asked": 0}
        self.received_log, self.endpoint_log = folder / "received", folder / "requests"
        for log in (self.received_log, self.endpoint_log):
            log.touch()
        outside = self._start("tests.drills.receiver", "--log", str(self.received_log))
        model = self._start("tests.endpoint", "--log", str(self.endpoint_log))
        self.receiver_url, self.model_url = outside.stdout.readline().strip(), model.stdout.readline().strip()
        self.nursery = self._start(
            "tests.drills.nursery",
            environment={
                **environment,
                "DJANGO_SETTINGS_MODULE": "goalsite.settings",
                "OPENAI_BASE_URL": self.model_url,
                "OPENAI_API_KEY": "test",
                "GOALSITE_MODEL_PRICE": "1/2",
                "GOALSITE_LEASE_SECONDS": str(LEASE),
                "GOALSITE_LOG_LEVEL": "ERROR",
                "GOALSITE_DOOR_ALLOW": "127.0.0.1",
                tools.RECEIVER: self.receiver_url,
            },
        )
        assert self.nursery.stdout.readline() == "ready\n"

    def _start(self, module: str, *arguments: str, environment: dict[str, str] | None = None) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=BASE_DIR,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.processes.append(process)
        return process

    def worker(self, *only: Goal, strike: tuple[str, str] | None = None, by: int = signal.SIGKILL) -> int:
        """Start a worker (for these goals alone, when given), perhaps struck at a point; returns its pid."""
        told: dict[str, Any] = {"only": [str(goal.pk) for goal in only] or None, "strike": None}
        if strike is not None:
            self.marks += 1
            mark = str(self.folder / f"struck{self.marks}")
            told["strike"] = {"what": strike[0], "point": strike[1], "mark": mark, "signal": int(by)}
        self.nursery.stdin.write(json.dumps(told) + "\n")
        self.nursery.stdin.flush()
        pid = int(self.nursery.stdout.readline())
        self.workers.append(pid)
        return pid

    def received(self) -> list[dict[str, Any]]:
        """The receiver's lines of this test."""
        return receiver.lines(self.received_log)[self.seen["received"] :]

    def asked(self) -> list[dict[str, Any]]:
        """The endpoint's lines of this test."""
        return receiver.lines(self.endpoint_log)[self.seen["asked"] :]

    def kill(self, *pids: int) -> None:
        """Kill these workers, or all."""
        for pid in pids or self.workers:
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)
        gone([*pids] or self.workers)

    def clear(self) -> None:
        """End the workers of a test and forget what was received."""
        self.kill()
        self.workers = []
        self.seen = {
            "received": len(receiver.lines(self.received_log)),
            "asked": len(receiver.lines(self.endpoint_log)),
        }

    def stop(self) -> None:
        self.nursery.stdin.close()
        self.nursery.wait(60)
        for process in self.processes:
            process.kill()
            process.wait(60)
            process.stdout.close()
            if not process.stdin.closed:
                process.stdin.close()


@pytest.fixture(scope="session")
def running(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The processes, started once for all drills."""
    found = connection.settings_dict
    environment = {**os.environ, "DATABASE_URL": database_url(found["HOST"], found["NAME"])}
    site = Site(environment, tmp_path_factory.mktemp("drills"))
    yield site
    site.stop()


@pytest.fixture
def site(running: Site, transactional_db: None) -> Iterator[Site]:
    """The processes with an empty database, no workers, and nothing received."""
    with connection.cursor() as cursor:
        cursor.execute(tools.TABLE)
    yield running
    running.clear()
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE drill_ledger")


@pytest.fixture
def owner(transactional_db: None) -> Any:
    return get_user_model().objects.create_user("ada")


@pytest.fixture
def planned(owner: Any) -> Any:
    """Submit a goal whose plan is a tool a step, proved by the artifact of its last step."""

    def make(*steps: str, **wishes: Any) -> Goal:
        goal = services.submit(
            owner=owner, objective="Use the tools", verifier=work.last_is(f"step{len(steps) - 1}"), **wishes
        )
        return work.plan(goal, *steps)

    return make


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def gone(pids: list[int], seconds: float = 60) -> None:
    """Wait until these processes are dead."""
    eventually(lambda: not any(is_alive(pid) for pid in pids), seconds, "the struck workers are dead")
