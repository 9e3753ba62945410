"""The queue's workers: `python -m goalsite.workers` runs django-q2's cluster, its pacemaker and its watchdog.

The main process forks the cluster first and then only keeps time. Every forked process dies with the one that forked
it, so no kill leaves an orphan. It ends with 0 when asked to, and with 1 when the cluster died or hangs; whoever
started it (see `goalsite.supervisor`) then ends what is left of its process group and starts it again.
"""

import logging
import os
import signal
import sys
import time
from pathlib import Path

import django
import psycopg

from goalsite import stopping  # before the fork: its byte is shared with the workers
from goalsite.child_of import die_with_parent

log = logging.getLogger(__name__)
PAUSE = 0.5
LOOK_EVERY = 0.5  # however often word comes that a goal is runnable


class StopAsked(Exception):
    """SIGTERM or SIGINT came."""


def main() -> int:
    """Run the cluster until it is asked to stop, dies or hangs."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "goalsite.settings")
    django.setup()
    os.register_at_fork(after_in_child=die_with_parent(signal.SIGKILL))
    from django_q.cluster import Cluster

    from goalsite.traces import tracing

    cluster = Cluster()
    cluster.start()
    try:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _raise_stop_asked)
        tracing.begin()
        _keep_time(cluster)
    except StopAsked:
        _stop(cluster)
        return 0
    if cluster.has_stopped:
        return 0
    logging.shutdown()
    os._exit(1)  # at once: an ordinary exit would wait for the sentinel, which may hang; it dies with this process


def _raise_stop_asked(*_: object) -> None:
    raise StopAsked


def _stop(cluster: object) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    stopping.ask()
    cluster.stop()


def _keep_time(cluster: object) -> None:
    """Return when the cluster is dead or hangs."""
    from django.conf import settings
    from django.db import InterfaceError, OperationalError, connection
    from django_q.conf import Conf

    from goalsite.pacemaker import Pacemaker
    from goalsite.watchdog import Watchdog, patience

    pacemaker = Pacemaker(Conf.WORKERS)
    watchdog = Watchdog(Conf.WORKERS, patience())
    well, looked_at = True, 0.0
    sign_of_life = SignOfLife(settings.GOALSITE_DATA_DIR)
    while cluster.sentinel is not None and cluster.sentinel.is_alive():
        sign_of_life.give()
        try:
            pacemaker.beat()
            if time.monotonic() - looked_at >= LOOK_EVERY:
                looked_at = time.monotonic()
                well = watchdog.look()
            if not well:
                log.critical("the queue hangs: no worker took or finished the canary; ending the cluster")
                return
            pacemaker.wait()
        except (psycopg.OperationalError, OperationalError, InterfaceError) as error:
            log.warning("the database is away (%s)", str(error).strip().splitlines()[0])
            pacemaker.hang_up()
            watchdog.forgive()
            time.sleep(PAUSE)
        finally:
            connection.close()
    log.critical("the cluster's sentinel is dead")


class SignOfLife:
    """A file that is touched while this process keeps time; its parent ends it when it no longer does."""

    def __init__(self, data_dir: Path) -> None:
        self.file = sign_of_life_file(data_dir)
        self.file.parent.mkdir(parents=True, exist_ok=True)

    def give(self) -> None:
        """Say that this process lives."""
        self.file.touch()


def sign_of_life_file(data_dir: Path) -> Path:
    """The file that the workers' main process touches."""
    return data_dir / "run" / "workers"


if __name__ == "__main__":
    sys.exit(main())
