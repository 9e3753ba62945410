"""`manage.py up`: the whole site in one command."""

import json
import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.db import connections
from django.utils import timezone

from goals.management.base import GoalsiteCommand
from goalsite import embedded, places, plan, ports, readiness, rehearsal, static_files, supervisor
from goalsite.children import BASE_DIR
from goalsite.locks import FileLock, Taken
from goalsite.login_once import operator
from goalsite.models import LoginLink
from goalsite.site_errors import PostgresError

FAILED, WRONG_USAGE = 1, 64


class Refused(Exception):
    """The site cannot start; the message is one line that says what to do."""

    def __init__(self, line: str, code: int = FAILED) -> None:
        super().__init__(line)
        self.code = code


class Command(GoalsiteCommand):
    """Prepares the site, then becomes `goalsite.supervisor` by `exec`."""

    requires_system_checks = []  # they run once the data folder is known to be writable
    help = "Start the whole site: database, model, workers and web server. Ctrl-C stops it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where to listen, and how many workers."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--workers", type=int, default=settings.Q_CLUSTER["workers"])

    def handle(self, *, host: str, port: int, workers: int, **options: Any) -> None:
        """Never returns: ends with an exit code, or becomes the supervisor."""
        try:
            planned = self.prepare(host, port, workers)
        except Refused as refused:
            self.stderr.write(str(refused))
            sys.exit(refused.code)
        except PostgresError as error:
            self.stderr.write(str(error))
            sys.exit(FAILED)
        except KeyboardInterrupt:
            sys.exit(130)
        become_supervisor(planned)

    def prepare(self, host: str, port: int, workers: int) -> dict[str, Any]:
        """Check, start the database and bring it up to date; returns the supervisor's plan."""
        check_arguments(port, workers)
        data_dir = settings.GOALSITE_DATA_DIR
        locks = {"up": take_up_lock()}
        check_port(host, port)
        self.check()
        if not os.environ.get("DATABASE_URL", "").strip():
            locks["users"] = embedded.hold(data_dir)
        settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
        static_files.collect()
        readiness.prepare()
        login = f"http://{shown(host)}:{port}/login/once/{LoginLink.issue(operator(), timezone.now())}/"
        connections.close_all()
        return {
            "data_dir": str(data_dir),
            "locks": {name: lock.survive_exec() for name, lock in locks.items()},
            "announcement": f"Goalsite is at http://{shown(host)}:{port}/\nLog in once, within 15 minutes: {login}",
            "children": plan.children(
                host=host,
                port=port,
                workers=workers,
                rehearsal_port=rehearsal.choose_port(data_dir) if settings.GOALSITE_REHEARSAL else None,
                data_dir=data_dir,
            ),
        }


def become_supervisor(planned: dict[str, Any]) -> None:
    """Give this process to `goalsite.supervisor`, which reads its plan from a pipe."""
    source, sink = os.pipe()
    with os.fdopen(sink, "w") as stream:
        json.dump(planned, stream)
    os.set_inheritable(source, True)
    os.chdir(BASE_DIR)
    os.execv(sys.executable, [sys.executable, "-m", supervisor.__name__, str(source)])  # noqa: S606


def check_arguments(port: int, workers: int) -> None:
    """Refuse numbers that make no sense."""
    if not 1 <= port <= 65535:
        raise Refused(f"--port {port} is not allowed: use a number from 1 to 65535.", WRONG_USAGE)
    if not 1 <= workers <= 64:
        raise Refused(f"--workers {workers} is not allowed: use a number from 1 to 64.", WRONG_USAGE)


def take_up_lock() -> FileLock:
    """One site a data folder."""
    data_dir = settings.GOALSITE_DATA_DIR
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        return FileLock(places.up_lock(data_dir)).take(wait=False)
    except Taken:
        raise Refused(
            f"Goalsite already runs on {data_dir}: use that one, stop it first, or set GOALSITE_DATA_DIR to another."
        ) from None
    except OSError as error:
        raise Refused(
            f"The data folder {data_dir} cannot be written ({error.strerror}): make it writable for this user, "
            "or set GOALSITE_DATA_DIR to another folder."
        ) from None


def check_port(host: str, port: int) -> None:
    """Refuse a port that is taken and a host that is not this machine's."""
    try:
        free = ports.is_free(host, port)
    except OSError as error:
        raise Refused(
            f"Nothing can listen on {host}:{port} ({error.strerror}): give another --host or --port."
        ) from None
    if not free:
        raise Refused(f"Port {port} on {host} is in use: stop what listens there, or give another with --port.")


def shown(host: str) -> str:
    """The host as part of an address."""
    reached = plan.dialled(host)
    return f"[{reached}]" if ":" in reached else reached
