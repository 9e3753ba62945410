"""`/readyz` with real parts that were stopped, killed or hang: it tells which, within seconds."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import InterfaceError, connection
from django.utils import timezone

from goalsite import health, items
from goalsite.models import Canary
from goalsite.watchdog import sing
from tests.goals.door.conftest import Far
from tests.goalsite.processes import eventually, family, mentioning
from tests.goalsite.redis_server import redis_server
from tests.goalsite.test_workers import Site

LONGEST = health.LONGEST + 2  # a busy machine's share


@pytest.fixture(autouse=True)
def asked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "ASK_AGAIN_SECONDS", -1.0)


@pytest.fixture
def at_work(transactional_db: None, endpoint: Any) -> None:
    """A worker answered a second ago, and so does the model."""
    Canary.objects.create(number=1, sent_at=timezone.now())
    sing(1)
    Canary.objects.update(run_at=timezone.now() - timedelta(seconds=1))


def told(client: Any) -> tuple[int, dict[str, Any]]:
    """The code and the body of an answer that came in time."""
    began = time.monotonic()
    answer = client.get("/readyz")
    assert time.monotonic() - began < LONGEST
    return answer.status_code, answer.json()


@contextmanager
def frozen(pids: list[int]) -> Iterator[None]:
    """They stand still, and hold what they hold."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


@pytest.mark.usefixtures("at_work")
def test_a_redis_that_hangs_or_is_gone_takes_it_out(client, settings, tmp_path):
    with redis_server(tmp_path) as address:
        settings.REDIS_URL = address
        assert told(client)[1]["items"]["redis"] == {"ok": True, "found": "answers"}
        with frozen(mentioning(address.removeprefix("unix://"))):
            code, said = told(client)
            assert (code, said["ready"], said["items"]["redis"]["ok"]) == (503, False, False)
            assert said["items"]["redis"]["found"] == "TimeoutError"
            assert said["items"]["database"]["ok"], "what else there is was looked at as well"
        assert told(client)[0] == 200
    code, said = told(client)
    assert (code, said["items"]["redis"]) == (503, {"ok": False, "found": "ConnectionError"})


def test_a_connection_that_broke_under_a_look_is_told_and_no_error(transactional_db, monkeypatch):
    def broken() -> items.Finding:
        raise InterfaceError("the connection is closed")

    monkeypatch.setattr(items, "queue", broken)
    assert items.of_the_database()["queue"] == (False, "InterfaceError")


@pytest.mark.usefixtures("at_work")
def test_a_database_that_hangs_takes_it_out_and_what_needs_it_is_not_tried(client):
    assert told(client)[0] == 200
    home = Path(connection.settings_dict["HOST"])
    postmaster = int((home / "cluster" / "postmaster.pid").read_text().split()[0])
    with frozen([postmaster, *family(postmaster)]):
        for _ in range(3):
            code, said = told(client)
            assert (code, said["ready"]) == (503, False)
            assert {name for name, item in said["items"].items() if item["ok"]} == {"model"}
            assert said["items"]["queue"]["found"] == items.UNLOOKED[1]
        assert client.get("/healthz").status_code == 200
    assert told(client)[0] == 200


@pytest.mark.drill
@pytest.mark.usefixtures("transactional_db")
def test_workers_that_hang_are_told_within_seconds_and_busy_ones_are_not_taken_for_dead(
    client, site_environment, settings, tmp_path
):
    settings.GOALSITE_CANARY_SECONDS = 3
    site = Site(site_environment, tmp_path, workers=1)

    def queue() -> dict[str, Any]:
        return told(client)[1]["items"]["queue"]

    try:
        eventually(lambda: queue()["ok"], 60, "a worker answered")
        site.send("tests.goalsite.drill_tasks.slow", "long", 20)
        eventually(lambda: "all workers are at work" in queue()["found"], 20, "the busy worker is told")
        assert queue()["ok"]
        with frozen([site.process.pid, *family(site.process.pid)]):
            eventually(lambda: not queue()["ok"], 60, "the hung workers are told")
            assert told(client)[0] == 503
        eventually(lambda: queue()["ok"], 60, "they came to themselves")
    finally:
        site.stop()


@pytest.mark.usefixtures("at_work")
def test_a_model_that_hangs_or_is_gone_degrades_it(client, settings):
    process = subprocess.Popen([sys.executable, "-m", "tests.endpoint"], stdout=subprocess.PIPE, text=True)
    try:
        settings.OPENAI_BASE_URL = process.stdout.readline().strip()
        assert told(client)[1]["degraded"] is False
        with frozen([process.pid]):
            code, said = told(client)
            assert (code, said["ready"], said["degraded"]) == (200, True, True)
            assert said["items"]["model"]["found"].endswith("no answer (APITimeoutError)")
    finally:
        process.kill()
        process.communicate()
    code, said = told(client)
    assert (code, said["items"]["model"]["ok"], said["degraded"]) == (200, False, True)
    assert said["items"]["model"]["found"].endswith("no answer (ConnectError)")


@pytest.mark.parametrize("code", [401, 403, 500, 503])
def test_a_model_that_refuses_us_is_told_and_not_asked_more_often(settings, monkeypatch, code):
    monkeypatch.setattr(items, "ASK_AGAIN_SECONDS", 60.0)
    with closing(Far()) as far:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY, settings.GOALSITE_REHEARSAL = far.url, "key", False
        far.answers["/models"] = code, {}, b"{}"
        assert [items.model() for _ in range(2)] == [(False, f"{settings.GOALSITE_MODEL}: answered {code}")] * 2
        assert len(far.came) == 1


@pytest.mark.usefixtures("at_work")
def test_a_look_that_hangs_holds_one_thread_however_often_one_asks(client, monkeypatch):
    goes_on = threading.Event()
    monkeypatch.setattr(health, "LONGEST", 0.2)
    with monkeypatch.context() as hung:
        hung.setattr(items, "migrations", lambda: (goes_on.wait(30), "late"))
        for _ in range(3):
            code, said = told(client)
            assert (code, said["items"]["database"]) == (503, {"ok": False, "found": "no answer within 0 s"})
        assert sum(thread.name == "look-database" for thread in threading.enumerate()) == 1
        goes_on.set()
    monkeypatch.setattr(health, "LONGEST", 4.0)
    eventually(lambda: told(client)[0] == 200, 60, "it is looked at anew")
