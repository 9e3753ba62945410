"""The test session's own cluster and data folder: started before the settings are read, gone at the end."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from goalsite import cluster as clusters
from goalsite.postgres_account import account_for
from goalsite.postgres_binaries import binaries_for

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "shared_buffers": "64MB"}
FOREIGN = ("REDIS_URL", "OPENAI_BASE_URL", "OPENAI_API_KEY", "GOALSITE_MODEL", "GOALSITE_REHEARSAL_PORT")
MARK = "GOALSITE_TEST_SESSION"


def start() -> None:
    """Set the environment for the tests and start the cluster, once; child processes find both in theirs."""
    if MARK in os.environ:
        return
    root = Path(tempfile.mkdtemp(prefix="goalsite-tests-", dir="/tmp"))
    root.chmod(0o755)
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    for name in FOREIGN:
        os.environ.pop(name, None)
    os.environ[MARK] = str(root)
    (root / "data" / "static").mkdir(parents=True)
    os.environ["GOALSITE_DATA_DIR"] = str(root / "data")
    os.environ["DJANGO_SECRET_KEY"] = "a-key-for-the-tests-that-protects-nothing-at-all"
    os.environ["DATABASE_URL"] = _start_cluster(root / "postgres")


def _start_cluster(home: Path) -> str:
    account = account_for(home)
    cluster = clusters.Cluster(home, home, account, binaries_for(account), FAST)
    cluster.prepare()
    process = cluster.launch()
    atexit.register(clusters.stop, process)
    cluster.wait_ready(process)
    return database_url(home, "goalsite")


def database_url(socket: Path | str, name: str) -> str:
    """The address of a database on a unix socket."""
    return f"postgresql://postgres@/{name}?host={socket}"
