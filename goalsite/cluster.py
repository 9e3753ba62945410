"""One embedded Postgres cluster: make it, start it, see whether it is ready, stop it. Standard library only."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen

from goalsite import pid_file
from goalsite.child_of import die_with_parent
from goalsite.postgres_account import Account
from goalsite.postgres_binaries import SYSTEM_FOLDER, Binaries
from goalsite.site_errors import PostgresError

SUPERUSER, DATABASE = "postgres", "goalsite"
OPTIONS = {"max_connections": "200", "shared_buffers": "128MB", "jit": "off", "io_method": "sync"}
LOG_LIMIT = 10_000_000


@dataclass(frozen=True)
class Cluster:
    """A cluster in `home`/cluster that listens on a unix socket in `socket`; nothing else can reach it."""

    home: Path
    socket: Path
    account: Account
    binaries: Binaries
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        """PGDATA."""
        return self.home / "cluster"

    def prepare(self) -> None:
        """Make the cluster if there is none, whole or not at all; refuse one of another major version."""
        for folder in {self.home, self.socket}:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)
            self.account.own(folder)
        if not self.data.exists():
            self._initdb()
        self._check_version()

    def _initdb(self) -> None:
        draft = self.home / "cluster.new"
        shutil.rmtree(draft, ignore_errors=True)
        command = [self.binaries.initdb, "-D", draft, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8"]
        command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        if self.options.get("fsync") == "off":
            command.append("--no-sync")
        self._run(command)
        single = [self.binaries.postgres, "--single", "-D", draft]
        self._run([*single, "postgres"], f"CREATE DATABASE {DATABASE}\n")
        self._run([*single, DATABASE], "CREATE EXTENSION vector\n")
        os.rename(draft, self.data)

    def _run(self, command: list[str | Path], commands: str = "") -> None:
        ran = subprocess.run(
            command, input=commands, capture_output=True, text=True, cwd="/", env=_clean(), **self.account.popen()
        )
        if ran.returncode:
            raise PostgresError(f"No database could be made in {self.home}: {_last_line(ran.stderr)}")

    def _check_version(self) -> None:
        made_by = (self.data / "PG_VERSION").read_text().strip()
        if made_by != str(self.binaries.major):
            raise PostgresError(
                f"The database in {self.data} was made by PostgreSQL {made_by}, this Goalsite brings "
                f"{self.binaries.major}: dump it with {made_by} and load it into a new data folder, or move it away."
            )

    def launch(self) -> "Popen[bytes]":
        """Start the server as a child that stops when this process dies; not yet ready when this returns."""
        pid_file.clear_stale(self.data, self.socket)
        command = [self.binaries.postgres, "-D", self.data, "-h", "", "-k", self.socket]
        for name, value in {**OPTIONS, **self.options}.items():
            command += ["-c", f"{name}={value}"]
        with self._log().open("ab") as log:
            return Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env=_clean(),
                start_new_session=True,
                preexec_fn=die_with_parent(signal.SIGINT),
                **self.account.popen(),
            )

    def _log(self) -> Path:
        file = self.home / "postgres.log"
        if file.exists() and file.stat().st_size > LOG_LIMIT:
            file.replace(file.with_suffix(".log.1"))
        return file

    def is_ready(self) -> bool:
        """Whether a server of this cluster runs and says that it takes connections."""
        return pid_file.read(self.data).is_ready and (self.socket / ".s.PGSQL.5432").exists()

    def wait_ready(self, process: "Popen[bytes]", seconds: float = 60) -> None:
        """Wait until the server takes connections; an error with the log's last line when it ends instead."""
        deadline = time.monotonic() + seconds
        while not self.is_ready():
            if process.poll() is not None:
                raise PostgresError(f"Postgres ended at its start: {_last_line(self._log().read_text())}")
            if time.monotonic() > deadline:
                raise PostgresError(f"Postgres was not ready after {seconds:.0f} s; see {self._log()}")
            time.sleep(0.02)


def stop(process: "Popen[bytes]", seconds: float = 15) -> None:
    """Stop a server fast and without loss; after some time, at once (it recovers at its next start)."""
    for sent in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        if process.poll() is not None:
            return
        process.send_signal(sent)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            continue


def home_for(wanted: Path, account: Account) -> Path:
    """The cluster's home: where wanted or, when the account cannot get there, a system folder linked from there."""
    if wanted.is_symlink() or wanted.exists() or account.is_me or account.can_reach(wanted):
        return wanted.resolve()
    SYSTEM_FOLDER.mkdir(mode=0o755, parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=SYSTEM_FOLDER, prefix="database-"))
    account.own(made)
    wanted.symlink_to(made)
    return made


def _clean() -> dict[str, str]:
    """An environment without the site's secrets."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def _last_line(output: str) -> str:
    lines = [line for line in output.strip().splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"
