"""Saving a running site: its database as of one moment, and every file that the database speaks of.

A blob is written before the row that names it, never changed, and never taken away while a backup is made: blobs copied
after the dump are all there.
Workspaces are copied as they stand. The secret key stays where it is.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from artifacts import orphans, storage
from artifacts.copying import copying
from goalsite import postgres_programs
from goalsite.archive import BLOBS, DUMP, WORKSPACES, Manifest, Writer, chunks

SPOOL = 32 << 20
UNFINISHED = (orphans.ASIDE, storage.DRAFT)


@dataclass
class Saved:
    """What went into a backup; `damaged` names blobs whose content is not what their name says."""

    blobs: int = 0
    files: int = 0
    damaged: tuple[str, ...] = ()


def save(target: Path) -> Saved:
    """Write a backup; raises PostgresError and OSError, and then there is none."""
    data_dir: Path = settings.GOALSITE_DATA_DIR
    applied = sorted(map(list, MigrationRecorder(connection).applied_migrations()))
    manifest = Manifest(timezone.now().isoformat(), str(data_dir), applied)
    saved = Saved()
    with copying(), Writer(target, manifest) as writer:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-") as folder:
            dumped = Path(folder) / DUMP
            postgres_programs.dump(dumped)
            with dumped.open("rb") as file:
                writer.add(DUMP, file)
        for path in _plain_files(data_dir / BLOBS):
            name = path.relative_to(data_dir).as_posix()
            try:
                file = path.open("rb")
            except FileNotFoundError:
                continue
            with file:
                if writer.add(name, file) != path.parent.name + path.name:
                    saved.damaged += (name,)
            saved.blobs += 1
        for path in _plain_files(data_dir / WORKSPACES):
            saved.files += _add_changing(writer, path, path.relative_to(data_dir).as_posix())
    return saved


def _plain_files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder; links, devices and drafts are left out."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and not path.name.startswith(UNFINISHED):
            yield path


def _add_changing(writer: Writer, path: Path, name: str) -> bool:
    """Add a file that somebody may be writing or removing: as it was while it was read; whether it was there."""
    with tempfile.SpooledTemporaryFile(SPOOL) as copy:
        try:
            with path.open("rb") as file:
                for chunk in chunks(file):
                    copy.write(chunk)
        except OSError:
            return False
        writer.add(name, copy)  # type: ignore[arg-type]
    return True
