"""The keeper of the embedded Postgres: starts it as its child and stops it when nobody uses it any more.

`python -m goalsite.keeper DATA_DIR` runs in a session of its own and imports no Django. Whoever uses the database
holds a shared lock on the users' file. The keeper waits for that file's exclusive lock: once it has it, nobody is left,
and a newcomer waits until the keeper has gone. A Postgres that dies is started again; one whose keeper is killed stops
by itself (where the kernel tells it). The first line on standard output is `ready` or `error: …`.
"""

import os
import signal
import sys
import time
from pathlib import Path
from subprocess import Popen

from goalsite import cluster as clusters
from goalsite import places
from goalsite.locks import FileLock, Taken
from goalsite.postgres_account import account_for
from goalsite.postgres_binaries import binaries_for
from goalsite.site_errors import PostgresError

LOOK_EVERY = 0.2
FIRST_PAUSE, LONGEST_PAUSE, CALM = 0.2, 10.0, 30.0


def cluster_in(data_dir: Path) -> clusters.Cluster:
    """The data folder's cluster, its home and socket folder where this machine allows them."""
    account = account_for(data_dir / "postgres")
    home = clusters.home_for(data_dir / "postgres", account)
    return clusters.Cluster(home, places.socket_folder(data_dir).resolve(), account, binaries_for(account))


class Keeper:
    """Keeps one cluster running while it has users."""

    def __init__(self, data_dir: Path) -> None:
        self.users = FileLock(places.users_lock(data_dir))
        self.cluster = cluster_in(data_dir)
        self.told_to_stop = False
        self.pause, self.started_at = FIRST_PAUSE, 0.0
        self.process: Popen[bytes] | None = None

    def start(self) -> None:
        """Make the cluster if there is none, start it and wait until it is ready."""
        self.cluster.prepare()
        self._launch()

    def _launch(self) -> None:
        self.started_at = time.monotonic()
        self.process = self.cluster.launch()
        self.cluster.wait_ready(self.process)

    def keep(self) -> None:
        """Return once nobody uses the database, or when told to stop, with Postgres stopped."""
        while not self.told_to_stop and self.has_users():
            if self.process is not None and self.process.poll() is not None:
                self._start_again()
            time.sleep(LOOK_EVERY)
        self.stop()

    def has_users(self) -> bool:
        """Whether somebody holds the users' lock; when not, this keeper holds it from now on."""
        try:
            self.users.take(wait=False)
        except Taken:
            return True
        return False

    def _start_again(self) -> None:
        calm = time.monotonic() - self.started_at > CALM
        self.pause = FIRST_PAUSE if calm else min(self.pause * 2, LONGEST_PAUSE)
        note(f"Postgres died; starting it again in {self.pause:.1f} s")
        time.sleep(self.pause)
        try:
            self._launch()
        except PostgresError as error:
            note(str(error))

    def stop(self) -> None:
        """Stop Postgres, fast and without loss."""
        if self.process is not None:
            clusters.stop(self.process)


def note(line: str) -> None:
    """A line for the keeper's log."""
    print(time.strftime("%Y-%m-%d %H:%M:%S"), line, file=sys.stderr, flush=True)


def say(line: str) -> None:
    """The one line for whoever started the keeper, who may be gone by now."""
    try:
        print(line, flush=True)
    except BrokenPipeError:
        note("nobody listens any more")
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.close(quiet)


def main(data_dir: Path) -> int:
    """Keep the data folder's database; 0 when it was no longer used, 1 when it could not be started."""
    try:
        FileLock(places.keeper_lock(data_dir)).take(wait=False)  # freed by this process's end: others wait for that
    except Taken:
        say("error: another keeper runs")
        return 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        keeper = Keeper(data_dir)
        signal.signal(signal.SIGTERM, lambda *_: setattr(keeper, "told_to_stop", True))
        try:
            keeper.start()
        except BaseException:
            keeper.stop()
            raise
    except (PostgresError, places.UnsafeFolder, OSError) as error:
        say(f"error: {error}")
        return 1
    say("ready")
    keeper.keep()
    return 0


if __name__ == "__main__":
    if os.fork():
        os._exit(0)  # whoever started the keeper need not wait for it
    sys.exit(main(Path(sys.argv[1])))
