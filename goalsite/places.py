"""Where the embedded database lives below the data folder; standard library only, no Django.

DATA/postgres/            0700, owned by the user that runs Postgres (a link when root's folders are closed to it)
DATA/postgres/cluster/    the cluster itself (PGDATA)
DATA/postgres/postgres.log
DATA/postgres-users.lock  shared flock of everybody who uses the database
DATA/postgres-start.lock  exclusive flock of whoever is starting it
DATA/up.lock              exclusive flock of the one `manage.py up`
"""

import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path

SOCKET_NAME = ".s.PGSQL.5432"
SOCKET_PATH_LIMIT = 107 if sys.platform == "linux" else 103
SPARE_NAMES = 10


class UnsafeFolder(Exception):
    """No folder for the database's socket could be had that other users cannot reach."""


def home(data_dir: Path) -> Path:
    """The database's own folder, with links resolved."""
    return (data_dir / "postgres").resolve()


def cluster(data_dir: Path) -> Path:
    """The cluster's folder (PGDATA)."""
    return home(data_dir) / "cluster"


def log_file(data_dir: Path) -> Path:
    """Where Postgres writes its log."""
    return home(data_dir) / "postgres.log"


def users_lock(data_dir: Path) -> Path:
    """The file on which every user of the database holds a shared lock."""
    return data_dir / "postgres-users.lock"


def start_lock(data_dir: Path) -> Path:
    """The file whose exclusive lock serialises starts."""
    return data_dir / "postgres-start.lock"


def keeper_lock(data_dir: Path) -> Path:
    """The file whose exclusive lock the keeper of the database holds."""
    return data_dir / "postgres-keeper.lock"


def up_lock(data_dir: Path) -> Path:
    """The file whose exclusive lock says that `up` runs on this data folder."""
    return data_dir / "up.lock"


def socket_folder(data_dir: Path) -> Path:
    """The folder of the database's socket: its home, or a short private one made when that path is too long."""
    folder = data_dir.resolve() / "postgres"
    if len(os.fsencode(folder / SOCKET_NAME)) <= SOCKET_PATH_LIMIT:
        return folder
    return _short_folder(folder)


def _short_folder(folder: Path) -> Path:
    """The first of a few names below the temporary folder that is ours alone, made if absent."""
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    owners = {os.getuid()} | _owner(folder)
    base = Path(tempfile.gettempdir())
    if len(os.fsencode(base)) > 60:
        base = Path("/tmp")  # noqa: S108 - the folder made below it is checked to be private
    for number in range(SPARE_NAMES):
        candidate = base / f"goalsite-{digest}-{number}"
        try:
            candidate.mkdir(mode=0o700)
        except FileExistsError:
            pass
        except OSError:
            continue
        if _is_private(candidate, owners):
            return candidate
    raise UnsafeFolder(f"no private folder for the database's socket could be made below {base}; set TMPDIR to one")


def _is_private(folder: Path, owners: set[int]) -> bool:
    """Whether it is a real folder of one of these owners, closed to everybody else."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid in owners and stat.S_IMODE(found.st_mode) == 0o700


def _owner(folder: Path) -> set[int]:
    try:
        return {folder.stat().st_uid}
    except OSError:
        return set()
