"""A real Redis on a unix socket."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.goalsite.processes import eventually


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """Run it; gives its address."""
    path = folder / "redis.sock"
    process = subprocess.Popen(
        ["redis-server", "--port", "0", "--unixsocket", str(path), "--save", "", "--dir", str(folder)],
        stdout=subprocess.DEVNULL,
    )
    try:
        eventually(path.exists, 60, "Redis listens")
        yield f"unix://{path}"
    finally:
        process.terminate()
        process.wait(60)
