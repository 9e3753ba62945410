"""The embedded Postgres, for whoever needs a database now: start it or join its users, and let go at the end."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from goalsite import keeper, pid_file, places
from goalsite.locks import FileLock, is_taken
from goalsite.site_errors import PostgresError

BASE_DIR = Path(__file__).resolve().parent.parent
PATIENCE = 120


def is_elsewhere() -> bool:
    """Whether `DATABASE_URL` names a database that is not ours to run."""
    return bool(os.environ.get("DATABASE_URL", "").strip())


@contextmanager
def database_in_use(data_dir: Path) -> Iterator[None]:
    """Hold the data folder's database up; nothing to do when `DATABASE_URL` names another. Raises `PostgresError`."""
    if is_elsewhere():
        yield
        return
    with hold(data_dir):
        yield


def hold(data_dir: Path) -> FileLock:
    """Become a user of the database, running it if need be; free the lock to let go."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        lock = FileLock(places.users_lock(data_dir))
    except OSError as error:
        raise PostgresError(
            f"The data folder {data_dir} cannot be written ({error.strerror}): "
            "make it writable for this user, or set GOALSITE_DATA_DIR to another folder."
        ) from None
    try:
        lock.take(shared=True)
        ensure_running(data_dir)
    except BaseException:
        lock.free()
        raise
    return lock


def ensure_running(data_dir: Path) -> None:
    """Return once the database takes connections; the caller is one of its users."""
    with FileLock(places.start_lock(data_dir)) as start:
        start.take()
        deadline = time.monotonic() + PATIENCE
        while not is_running(data_dir):
            if not is_taken(places.keeper_lock(data_dir)):
                _start_keeper(data_dir)
            if time.monotonic() > deadline:
                raise PostgresError(f"The database was not ready after {PATIENCE} s; see {places.log_file(data_dir)}")
            time.sleep(0.05)


def is_running(data_dir: Path) -> bool:
    """Whether a keeper lives and its Postgres takes connections."""
    return is_taken(places.keeper_lock(data_dir)) and pid_file.read(places.cluster(data_dir)).is_ready


def _start_keeper(data_dir: Path) -> None:
    log = data_dir / "postgres-keeper.log"
    with log.open("ab") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", keeper.__name__, str(data_dir)],
            cwd=BASE_DIR,
            env={name: value for name, value in os.environ.items() if name in ("PATH", "TMPDIR", "HOME", "LANG")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
            text=True,
        )
    with process.stdout as answers:
        answer = answers.readline().strip()
    process.wait()
    if answer == "error: another keeper runs":
        return
    if answer != "ready":
        raise PostgresError(answer.removeprefix("error: ") or f"The database's keeper ended at its start; see {log}")
