"""The test session's own cluster and data folder, gone at its end. Each worker of a spread run has its own."""

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
ALONE = "alone"


def start() -> None:
    """Prepare and start the cluster."""
    prepare()
    start_cluster()


def prepare() -> None:
    """Make the folder and set the environment for the tests, once; child processes find both in theirs."""
    here = os.environ.get("PYTEST_XDIST_WORKER", ALONE)
    if os.environ.get(MARK) == here:
        return
    root = Path(tempfile.mkdtemp(prefix="goalsite-tests-", dir="/tmp"))
    root.chmod(0o755)
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    for name in FOREIGN:
        os.environ.pop(name, None)
    if here != ALONE:  # commands at the same time would take each other's rehearsal model for their own
        os.environ["GOALSITE_REHEARSAL_PORT"] = str(8400 + 100 * int(here.removeprefix("gw")))
    os.environ[MARK] = here
    (root / "data" / "static").mkdir(parents=True)
    os.environ["GOALSITE_DATA_DIR"] = str(root / "data")
    os.environ["DJANGO_SECRET_KEY"] = "a-key-for-the-tests-that-protects-nothing-at-all"
    os.environ["DATABASE_URL"] = database_url(root / "postgres", "goalsite")


def start_cluster() -> None:
    """Start the cluster that `prepare` named, until this process ends."""
    home = Path(os.environ["GOALSITE_DATA_DIR"]).parent / "postgres"
    account = account_for(home)
    cluster = clusters.Cluster(home, home, account, binaries_for(account), FAST)
    cluster.prepare()
    process = cluster.launch()
    atexit.register(clusters.stop, process)
    cluster.wait_ready(process)


def database_url(socket: Path | str, name: str) -> str:
    """The address of a database on a unix socket."""
    return f"postgresql://postgres@/{name}?host={socket}"
