"""The embedded Postgres with everything that can happen to it: real processes, killed for real."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from goalsite import embedded, places
from goalsite.locks import is_taken
from goalsite.site_errors import PostgresError
from tests.goalsite.processes import children, command_line, eventually, mentioning

pytestmark = pytest.mark.drill
USE = "import sys, time, pathlib; from goalsite import embedded\nwith embedded.hold(pathlib.Path(sys.argv[1])):\n  {}"
PATIENCE = 60


@pytest.fixture(scope="module")
def template() -> Iterator[Path]:
    """A data folder with a stopped, whole cluster, to copy from: making one takes a second."""
    root = Path(tempfile.mkdtemp(prefix="gs-template-", dir="/tmp"))
    root.chmod(0o755)
    embedded.hold(root / "data").free()
    eventually(lambda: not is_taken(places.keeper_lock(root / "data")), PATIENCE, "the template stopped")
    yield root / "data"
    shutil.rmtree(root)


@pytest.fixture
def data_dir(template: Path) -> Iterator[Path]:
    """A fresh data folder with a cluster that nobody runs."""
    root = Path(tempfile.mkdtemp(prefix="gs-", dir="/tmp"))
    root.chmod(0o755)
    copy_tree(template, root / "data")
    yield root / "data"
    eventually(lambda: not mentioning(str(root)), PATIENCE, f"no process of {root} is left")
    shutil.rmtree(root)


def copy_tree(source: Path, target: Path) -> None:
    subprocess.run(["cp", "-a", source, target], check=True)


def answer(data_dir: Path) -> int:
    with psycopg.connect(host=str(places.socket_folder(data_dir)), user="postgres", dbname="goalsite") as connection:
        return connection.execute("SELECT 1").fetchone()[0]


def postmaster(data_dir: Path) -> int:
    return int((places.cluster(data_dir) / "postmaster.pid").read_text().splitlines()[0])


def keeper(data_dir: Path) -> int:
    return next(pid for pid in mentioning(str(data_dir)) if "goalsite.keeper" in command_line(pid))


def user(data_dir: Path, does: str) -> "subprocess.Popen[bytes]":
    """Another process that uses the database."""
    return subprocess.Popen(
        [sys.executable, "-c", USE.format(does), str(data_dir)], cwd=embedded.BASE_DIR, stdout=subprocess.PIPE
    )


def test_the_database_runs_while_it_is_used_and_no_longer(data_dir):
    with embedded.hold(data_dir):
        assert answer(data_dir) == 1
        server = postmaster(data_dir)
    eventually(lambda: not command_line(server), PATIENCE, "Postgres stopped")
    assert not (places.cluster(data_dir) / "postmaster.pid").exists()


def test_it_comes_with_pgvector(data_dir):
    with (
        embedded.hold(data_dir),
        psycopg.connect(host=str(places.socket_folder(data_dir)), user="postgres", dbname="goalsite") as connection,
    ):
        assert connection.execute("SELECT '[1,2]'::vector <-> '[1,3]'::vector").fetchone()[0] == 1


def test_a_second_user_joins_and_the_last_one_to_leave_stops_it(data_dir):
    first, second = embedded.hold(data_dir), embedded.hold(data_dir)
    server = postmaster(data_dir)
    first.free()
    time.sleep(1)
    assert answer(data_dir) == 1
    assert postmaster(data_dir) == server
    second.free()
    eventually(lambda: not command_line(server), PATIENCE, "Postgres stopped")


def test_a_user_that_is_killed_leaves_no_orphan(data_dir):
    process = user(data_dir, "print('up', flush=True); time.sleep(60)")
    assert process.stdout.readline() == b"up\n"
    server = postmaster(data_dir)
    process.kill()
    process.wait()
    process.stdout.close()
    eventually(lambda: not command_line(server), PATIENCE, "Postgres stopped")


def test_two_starts_at_once_share_one_server(data_dir):
    started = [user(data_dir, "print('up', flush=True); time.sleep(2)") for _ in range(4)]
    assert [process.stdout.readline() for process in started] == [b"up\n"] * 4
    assert len([pid for pid in mentioning(str(data_dir)) if "bin/postgres -D" in command_line(pid)]) == 1
    for process in started:
        assert process.wait() == 0
        process.stdout.close()


def test_somebody_who_comes_while_it_stops_gets_a_new_one(data_dir):
    for _ in range(5):
        with embedded.hold(data_dir):
            assert answer(data_dir) == 1
        time.sleep(0.15)


def test_a_killed_postgres_is_started_again(data_dir):
    with embedded.hold(data_dir):
        server = postmaster(data_dir)
        os.kill(server, signal.SIGKILL)
        eventually(lambda: not command_line(server), PATIENCE, "it died")
        eventually(lambda: embedded.is_running(data_dir), PATIENCE, "it was started again")
        assert answer(data_dir) == 1


def test_a_killed_keeper_takes_its_postgres_with_it_and_is_replaced(data_dir):
    with embedded.hold(data_dir):
        server = postmaster(data_dir)
        os.kill(keeper(data_dir), signal.SIGKILL)
        eventually(lambda: not command_line(server), PATIENCE, "Postgres stopped")
        embedded.ensure_running(data_dir)
        assert answer(data_dir) == 1


def test_keeper_and_postgres_killed_at_once_are_survived(data_dir):
    with embedded.hold(data_dir):
        server = postmaster(data_dir)
        os.kill(keeper(data_dir), signal.SIGKILL)
        os.kill(server, signal.SIGKILL)
        embedded.ensure_running(data_dir)
        assert answer(data_dir) == 1


@pytest.mark.parametrize(
    "content",
    ["", "123", "4194304\n/tmp\n", f"{os.getpid()}\n/tmp\n1\n5432\n", "nonsense\n"],
    ids=["empty", "truncated", "dead pid", "recycled pid", "nonsense"],
)
def test_a_stale_pid_file_is_survived(data_dir, content):
    (places.cluster(data_dir) / "postmaster.pid").write_text(content)
    with embedded.hold(data_dir):
        assert answer(data_dir) == 1


def test_a_leftover_socket_is_survived(data_dir):
    (places.home(data_dir) / ".s.PGSQL.5432").write_text("")
    (places.home(data_dir) / ".s.PGSQL.5432.lock").write_text(f"{os.getpid()}\n/tmp\n1\n5432\n")
    with embedded.hold(data_dir):
        assert answer(data_dir) == 1


def test_a_long_path_is_survived(data_dir):
    long = data_dir.parent / ("long" * 30) / "data"
    long.parent.mkdir()
    copy_tree(data_dir, long)
    socket = places.socket_folder(long)
    assert socket != places.home(long)
    with embedded.hold(long):
        assert answer(long) == 1
    eventually(lambda: not is_taken(places.keeper_lock(long)), PATIENCE, "it stopped")
    socket.rmdir()


def test_a_making_that_was_interrupted_is_begun_anew(data_dir):
    home = places.home(data_dir)
    shutil.rmtree(home / "cluster")
    (home / "cluster.new").mkdir()
    (home / "cluster.new" / "PG_VERSION").write_text("18\n")
    with embedded.hold(data_dir):
        assert answer(data_dir) == 1


def test_a_database_of_another_major_version_is_one_clear_line(data_dir):
    (places.cluster(data_dir) / "PG_VERSION").write_text("12\n")
    with pytest.raises(PostgresError, match=r"made by PostgreSQL 12, this Goalsite brings \d+: dump") as refused:
        embedded.hold(data_dir)
    assert "\n" not in str(refused.value)


def test_a_data_folder_that_cannot_be_made_is_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PostgresError, match="set GOALSITE_DATA_DIR to another folder"):
        embedded.hold(tmp_path / "file" / "data")


def test_a_stopping_keeper_survives_ctrl_c_in_its_terminal(data_dir):
    with embedded.hold(data_dir):
        os.kill(keeper(data_dir), signal.SIGINT)
        time.sleep(0.5)
        assert answer(data_dir) == 1
        assert children(keeper(data_dir))


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root can become somebody else")
class TestRoot:
    """Root, and the users that root can become."""

    def run_as(self, name: str, folder: Path) -> "subprocess.CompletedProcess[str]":
        account = pwd.getpwnam(name)  # it may search folders, because the interpreter may live in one of root's
        become = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
        become += ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
        return subprocess.run(
            [*become, sys.executable, "-c", USE.format("print('up')"), str(folder)],
            cwd=embedded.BASE_DIR,
            capture_output=True,
            text=True,
            env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"},
        )

    def test_postgres_does_not_run_as_root(self, data_dir):
        with embedded.hold(data_dir):
            assert Path(f"/proc/{postmaster(data_dir)}").stat().st_uid != 0

    def test_an_ordinary_user_runs_it_as_that_user(self):
        root = Path(tempfile.mkdtemp(prefix="gs-", dir="/tmp"))
        os.chown(root, pwd.getpwnam("nobody").pw_uid, -1)
        ran = self.run_as("nobody", root / "data")
        assert ran.stdout == "up\n", ran.stderr
        assert (root / "data" / "postgres").owner() == "nobody"
        eventually(lambda: not mentioning(str(root)), PATIENCE, "it stopped")
        shutil.rmtree(root)

    def test_another_users_database_is_one_clear_line(self, data_dir):
        os.chown(data_dir, pwd.getpwnam("nobody").pw_uid, -1)
        for file in data_dir.glob("postgres-*"):
            file.unlink()
        home = places.home(data_dir)
        os.chown(home, 12345, 12345)
        ran = self.run_as("nobody", data_dir)
        assert "belongs to user 12345: start Goalsite as that user or as root" in ran.stderr

    def test_a_data_folder_that_cannot_be_written_is_one_clear_line(self):
        root = Path(tempfile.mkdtemp(prefix="gs-", dir="/tmp"))
        root.chmod(0o755)
        ran = self.run_as("nobody", root / "data")
        assert "cannot be written (Permission denied): make it writable" in ran.stderr
        root.rmdir()

    def test_a_folder_that_only_root_can_enter_is_linked_to_one_that_the_account_can(self):
        root = Path(tempfile.mkdtemp(prefix="gs-", dir="/tmp"))
        assert root.stat().st_mode & 0o777 == 0o700
        with embedded.hold(root / "data"):
            assert answer(root / "data") == 1
            home = places.home(root / "data")
            assert (root / "data" / "postgres").is_symlink()
        eventually(lambda: not mentioning(str(root)), PATIENCE, "it stopped")
        shutil.rmtree(home)
        shutil.rmtree(root)
