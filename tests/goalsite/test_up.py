"""`manage.py up` as an operator knows it: one real site, asked, killed piece by piece, and stopped."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from websockets.exceptions import ConnectionClosedError

from goalsite import places
from goalsite.children import BASE_DIR
from tests.goalsite import flood
from tests.goalsite.processes import children, command_line, eventually, family, mentioning
from tests.session import database_url

pytestmark = pytest.mark.drill
PATIENCE = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(data_dir: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "DJANGO_SECRET_KEY")}
    return {
        **kept,
        "GOALSITE_DATA_DIR": str(data_dir),
        "GOALSITE_REHEARSAL_PORT": str(free_port()),
        "GOALSITE_CANARY_SECONDS": "4",
        "PYTHONUNBUFFERED": "1",
        **more,
    }


def manage(data_dir: Path, *words: str, **more: str) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end."""
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=BASE_DIR,
        env=environment(data_dir, **more),
        capture_output=True,
        text=True,
        timeout=120,
    )


class Site:
    """A whole site started by `manage.py up`."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir, self.port = data_dir, free_port()
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", str(self.port)],
            cwd=BASE_DIR,
            env=environment(data_dir),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        try:
            eventually(lambda: "READY" in self.lines or self.process.poll() is not None, 180, "the site is ready")
        except AssertionError:
            self.stop()
            raise
        assert "READY" in self.lines, self.lines

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.append(line.strip())
        self.process.stdout.close()

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def is_ready(self) -> bool:
        return self.get("/readyz")[0] == 200

    def child(self, words: str) -> int:
        return next(pid for pid in children(self.process.pid) if words in command_line(pid))

    def keeper(self) -> int:
        return next(pid for pid in mentioning(str(self.data_dir)) if "goalsite.keeper" in command_line(pid))

    def postmaster(self) -> int:
        return int((places.cluster(self.data_dir) / "postmaster.pid").read_text().splitlines()[0])

    def stop(self, number: int = signal.SIGTERM) -> float:
        began = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(60)
        self.reader.join()
        return time.monotonic() - began


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    found = Path(tempfile.mkdtemp(prefix="gs-up-", dir="/tmp"))
    found.chmod(0o755)
    yield found
    eventually(lambda: not mentioning(str(found)), PATIENCE, "no process is left")
    shutil.rmtree(found)


@pytest.fixture(scope="module")
def site(root: Path) -> Iterator[Site]:
    found = Site(root / "data")
    yield found
    if found.process.poll() is None:
        found.stop()


def gone(pids: list[int]) -> bool:
    return not any(command_line(pid) for pid in pids)


def test_ready_is_the_last_line_and_the_site_is_ready(site):
    assert site.lines[-1] == "READY"
    eventually(site.is_ready, PATIENCE, "every item is well")


@pytest.fixture(scope="module")
def signed_in(site) -> dict[str, str]:
    """The cookies of who has followed the link that the site prints."""
    link = next(found.group() for line in site.lines if (found := re.search(r"/login/once/\S+/", line)))
    assert link.split("/")[-2] not in command_line(site.process.pid)
    cookies = urllib.request.HTTPCookieProcessor()
    with urllib.request.build_opener(cookies).open(f"http://127.0.0.1:{site.port}{link}"):
        pass
    assert site.get(link)[0] == 410
    return {cookie.name: cookie.value for cookie in cookies.cookiejar}


def asking(site: Site, path: str, cookies: dict[str, str], data: dict | None = None) -> str:
    """What the site answers to who has these cookies."""
    headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
    headers |= {"X-CSRFToken": cookies["csrftoken"], "Content-Type": "application/json"}
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{site.port}{path}", body, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode()


def test_the_link_that_it_prints_logs_in_once_and_is_not_shown_to_other_users(site, signed_in):
    assert "operator" in asking(site, "/admin/", signed_in)


def test_a_flood_of_hostile_frames_is_slowed_and_told_while_others_are_answered(site, signed_in):
    conversation = json.loads(asking(site, "/api/conversations/", signed_in, {"title": "Flooded"}))["id"]
    address = f"ws://127.0.0.1:{site.port}/ws/conversations/{conversation}/"
    cookie = f"sessionid={signed_in['sessionid']}"
    web, before = site.child("goalsite.asgi"), len(site.lines)
    with flood.opened(address, cookie) as other, flood.flooded(address, cookie, 3000) as flooding:
        assert "frames a second" in flooding.until("rate")["message"]
        assert {answer["type"] for answer in flooding.answers} == {"error"}
        flood.ping(other)
        assert site.get("/healthz")[0] == 200
        assert "Flooded" in asking(site, "/", signed_in)
        flooding.until("frame")
        flooding.until("type")
        assert flooding.is_held_up
    with flood.opened(address, cookie) as larger:
        larger.send("x" * 1_000_001)
        with pytest.raises(ConnectionClosedError) as closed:
            larger.recv(timeout=60)
    assert closed.value.rcvd.code == 1009
    with flood.opened(address, cookie) as again:
        flood.ping(again)
    assert site.child("goalsite.asgi") == web
    assert [line for line in site.lines[before:] if "Traceback" in line] == []


def test_a_second_site_on_the_same_data_folder_says_so_in_one_line(site):
    ran = manage(site.data_dir, "up", "--port", str(free_port()))
    assert ran.returncode == 1
    assert re.fullmatch(r"Goalsite already runs on \S+: use that one, stop it first, or set [^\n]+\n", ran.stderr)


def test_other_commands_work_while_the_site_is_up(site):
    ran = manage(
        site.data_dir, "shell", "-v0", "-c", "from goalsite.models import Canary; print(Canary.objects.count())"
    )
    assert ran.stdout == "1\n", ran.stderr


@pytest.mark.parametrize(
    "part", ["web", "workers", "model", "keeper", "postgres", "a backend of postgres", "keeper and postgres"]
)
def test_a_hard_kill_of_any_part_is_survived(site, part):
    eventually(site.is_ready, PATIENCE, "the site is well")
    victims = {
        "web": lambda: [site.child("goalsite.asgi")],
        "workers": lambda: [site.child("goalsite.workers")],
        "model": lambda: [site.child("rehearsal")],
        "keeper": lambda: [site.keeper()],
        "postgres": lambda: [site.postmaster()],
        "a backend of postgres": lambda: [
            next(pid for pid in children(site.postmaster()) if "goalsite [local]" in command_line(pid))
        ],
        "keeper and postgres": lambda: [site.keeper(), site.postmaster()],
    }[part]()
    for victim in victims:
        os.kill(victim, signal.SIGKILL)
    eventually(partial(gone, victims), PATIENCE, f"{part} died")
    eventually(lambda: len(children(site.process.pid)) == 3, PATIENCE, "all children are back")
    began = time.time()
    eventually(partial(canary_since, site, began), PATIENCE, "a worker runs tasks again")
    eventually(site.is_ready, PATIENCE, "the site is well again")


def canary_since(site: Site, moment: float) -> bool:
    try:
        with psycopg.connect(
            host=str(places.socket_folder(site.data_dir)), user="postgres", dbname="goalsite"
        ) as database:
            found = database.execute("SELECT extract(epoch FROM run_at) FROM goalsite_canary").fetchone()
    except psycopg.OperationalError:
        return False
    return found is not None and float(found[0]) > moment


def test_a_stop_ends_everything_within_seconds_in_order(site):
    everybody = [*family(site.process.pid), site.keeper(), site.postmaster()]
    assert site.stop() < 30
    assert site.process.returncode == 0
    assert gone(everybody)
    assert site.lines[-2:] == ["Stopping.", "Stopped."]
    assert not (places.cluster(site.data_dir) / "postmaster.pid").exists(), "Postgres was not stopped cleanly"


def test_commands_work_with_the_site_down(site):
    ran = manage(
        site.data_dir, "shell", "-v0", "-c", "from goalsite.models import Canary; print(Canary.objects.count())"
    )
    assert ran.stdout == "1\n", ran.stderr


def test_it_starts_again_and_a_killed_parent_leaves_no_orphan(site):
    again = Site(site.data_dir)
    everybody = [*family(again.process.pid), again.keeper(), again.postmaster()]
    again.process.kill()
    again.process.wait()
    eventually(partial(gone, everybody), PATIENCE, "all ended")
    again.reader.join()


@pytest.mark.skipif(os.environ.get("GOALSITE_DRILL") != "full", reason="only with GOALSITE_DRILL=full")
def test_it_starts_after_a_hard_kill_of_everything(site):
    again = Site(site.data_dir)
    for pid in [*family(again.process.pid), again.keeper(), again.postmaster(), again.process.pid]:
        os.kill(pid, signal.SIGKILL)
    again.process.wait()
    again.reader.join()
    Site(site.data_dir).stop()


def test_it_starts_after_a_hard_kill_and_a_second_signal_hurries(site):
    again = Site(site.data_dir)
    again.process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    again.stop(signal.SIGINT)
    assert "Hurrying." in again.lines


class TestOneClearLine:
    """What is wrong is said in one line that says what to do."""

    def refused(self, ran: "subprocess.CompletedProcess[str]", code: int, *parts: str) -> None:
        assert ran.returncode == code, ran.stderr
        assert ran.stderr.count("\n") == 1, ran.stderr
        for part in parts:
            assert part in ran.stderr

    def test_a_port_in_use(self, tmp_path):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            self.refused(manage(tmp_path, "up", "--port", port), 1, f"Port {port}", "in use", "--port")

    def test_a_port_that_is_none(self, tmp_path):
        self.refused(manage(tmp_path, "up", "--port", "99999"), 64, "--port 99999", "1 to 65535")
        told = manage(tmp_path, "up", "--port", "abc")
        assert told.returncode == 64
        assert "--port: invalid int value: 'abc'" in told.stderr

    def test_no_workers(self, tmp_path):
        self.refused(manage(tmp_path, "up", "--workers", "0"), 64, "--workers 0", "1 to 64")

    def test_a_host_that_is_not_this_machines(self, tmp_path):
        ran = manage(tmp_path, "up", "--host", "192.0.2.1", "--port", str(free_port()))
        self.refused(ran, 1, "192.0.2.1", "--host")

    def test_a_data_folder_that_cannot_be_written(self, tmp_path):
        (tmp_path / "file").write_text("")
        self.refused(manage(tmp_path / "file" / "data", "up"), 64, "GOALSITE_DATA_DIR", "can write")

    def test_a_data_folder_that_cannot_be_written_when_the_key_is_given(self, tmp_path):
        (tmp_path / "file").write_text("")
        ran = manage(tmp_path / "file" / "data", "up", DJANGO_SECRET_KEY="k" * 50)
        self.refused(ran, 1, "cannot be written", "GOALSITE_DATA_DIR")

    def test_an_unreachable_database(self, tmp_path):
        address = f"postgresql://ann:topsecret@127.0.0.1:{free_port()}/site"
        ran = manage(tmp_path, "up", "--port", str(free_port()), DATABASE_URL=address)
        self.refused(ran, 1, "site on 127.0.0.1", "cannot be reached", "DATABASE_URL")
        assert "topsecret" not in ran.stderr

    def test_a_bad_setting(self, tmp_path):
        self.refused(manage(tmp_path, "up", GOALSITE_WORKERS="many"), 64, "GOALSITE_WORKERS='many'", "from 1 to 64")

    @pytest.mark.django_db(transaction=True)
    def test_a_database_whose_user_may_not_make_pgvector(self, tmp_path):
        with connection.cursor() as cursor:
            cursor.execute("CREATE ROLE plain LOGIN")
            cursor.execute("CREATE DATABASE without_vector OWNER plain")
        try:
            host = connection.settings_dict["HOST"]
            address = database_url(host, "without_vector").replace("postgres@", "plain@")
            ran = manage(tmp_path, "up", "--port", str(free_port()), DATABASE_URL=address)
            self.refused(ran, 1, "without_vector", "no pgvector", "CREATE EXTENSION vector")
        finally:
            with connection.cursor() as cursor:
                cursor.execute("DROP DATABASE without_vector WITH (FORCE)")
                cursor.execute("DROP ROLE plain")
