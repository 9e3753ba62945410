"""`pg_dump` and `pg_restore` on the site's database, as the wheel of the embedded Postgres brings them."""

import os
import subprocess
from pathlib import Path
from typing import Any

from psycopg.conninfo import make_conninfo

from goalsite import plain_connection
from goalsite.postgres_account import Account
from goalsite.postgres_binaries import binaries_for
from goalsite.site_errors import PostgresError

# What is of use for a moment only: live messages, wake-ups that carry nothing but "look", when a worker last answered.
PASSING = ("goalsite_livemessage", "django_q_ormq", "goalsite_canary")


def dump(target: Path) -> None:
    """Write the whole database as it stands at one moment; the site may go on meanwhile."""
    passing = [f"--exclude-table-data={table}" for table in PASSING]
    _run("pg_dump", ["--format=custom", "--no-owner", "--no-privileges", *passing, f"--file={target}"])


def restore(source: Path) -> None:
    """Read a dump into a database without tables: wholly or not at all."""
    contents = _run("pg_restore", ["--list", str(source)], connects=False)
    wanted = source.with_suffix(".list")
    wanted.write_text("\n".join(line for line in contents.splitlines() if " EXTENSION " not in line))
    options = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]
    _run("pg_restore", [*options, f"--use-list={wanted}", str(source)])


def _run(program: str, arguments: list[str], *, connects: bool = True) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    if connects:
        parameters: dict[str, Any] = plain_connection.parameters()
        parameters.pop("options", None)  # the site's time limits are not for a copy of everything
        environment["PGPASSWORD"] = parameters.pop("password", "")
        arguments = [*arguments, f"--dbname={make_conninfo(**parameters)}"]
    binary = binaries_for(Account(os.geteuid(), os.getegid())).folder / "bin" / program
    ran = subprocess.run([binary, *arguments], env=environment, capture_output=True, text=True)
    if ran.returncode != 0:
        raise PostgresError(f"{program} failed: {ran.stderr.strip()[:2000]}")
    return ran.stdout
