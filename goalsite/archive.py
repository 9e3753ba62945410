"""A backup's file: a tar of the database's dump, the blobs and the workspaces, ended by a list of what it holds.

The list comes last, so that a file that was cut off is told by its absence. Every member has its SHA-256 there.
"""

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path, PurePosixPath
from typing import IO, Any

FORMAT = 1
MANIFEST, DUMP = "manifest.json", "database.dump"
BLOBS, WORKSPACES = "artifacts", "workspaces"
CHUNK = 1 << 20
LONGEST_MANIFEST = 1 << 30


class BadArchive(Exception):
    """The file is no backup, or not a whole one."""


@dataclass
class Manifest:
    """`files` is the SHA-256 of each member by its name; `data_dir` is where the site's files lay."""

    made_at: str
    data_dir: str
    migrations: list[list[str]]
    files: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT


class Writer:
    """Writes an archive beside its name and gives it the name when it is whole."""

    def __init__(self, target: Path, manifest: Manifest) -> None:
        self.target, self.manifest = target, manifest
        self._draft = target.with_name(f".{target.name}.partial")

    def __enter__(self) -> "Writer":
        descriptor = os.open(self._draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self._file = os.fdopen(descriptor, "wb")
        self._tar = tarfile.open(fileobj=self._file, mode="w", format=tarfile.PAX_FORMAT)
        return self

    def add(self, name: str, source: IO[bytes]) -> str:
        """Copy a file of which nobody changes a byte, from its start; returns its SHA-256."""
        source.seek(0)
        digest = hashlib.file_digest(source, "sha256").hexdigest()  # type: ignore[arg-type]
        entry = tarfile.TarInfo(name)
        entry.size = source.tell()
        entry.mode = 0o600
        source.seek(0)
        self._tar.addfile(entry, source)
        self.manifest.files[name] = digest
        return digest

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                text = json.dumps(asdict(self.manifest), ensure_ascii=False, indent=1).encode()
                entry = tarfile.TarInfo(MANIFEST)
                entry.size = len(text)
                self._tar.addfile(entry, io.BytesIO(text))
                self._tar.close()
                self._file.flush()
                os.fsync(self._file.fileno())
                os.replace(self._draft, self.target)
        finally:
            self._file.close()
            self._draft.unlink(missing_ok=True)


def verified(source: Path) -> Manifest:
    """Return what the archive holds after every byte of it was checked; raises BadArchive, and OSError."""
    found: dict[str, str] = {}
    manifest: Any = None
    try:
        for name, file in members(source):
            if name == MANIFEST:
                manifest = json.loads(file.read(LONGEST_MANIFEST))
            else:
                found[name] = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise BadArchive(f"{source} is no backup, or a damaged one: {error}") from None
    if manifest is None:
        raise BadArchive(f"{source} is not whole: its list of contents is missing")
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files", {}), dict):
        raise BadArchive(f"{source} is damaged: its list of contents is none")
    if manifest.get("format") != FORMAT:
        raise BadArchive(f"{source} has format {manifest.get('format')!r}; this version of Goalsite reads {FORMAT}")
    if {one.name for one in fields(Manifest)} != manifest.keys():
        raise BadArchive(f"{source} is damaged: its list of contents says {', '.join(sorted(manifest))[:200]}")
    if wrong := [name for name in {*found, *manifest["files"]} if found.get(name) != manifest["files"].get(name)]:
        raise BadArchive(f"{source} is damaged: {len(wrong)} files differ, for instance {sorted(wrong)[0]}")
    if DUMP not in found:
        raise BadArchive(f"{source} holds no database")
    return Manifest(**manifest)


def members(source: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield each file of the archive with its name; raises BadArchive for a name that leads elsewhere."""
    with tarfile.open(source, mode="r:") as tar:
        for entry in tar:
            parts = PurePosixPath(entry.name).parts
            if not entry.isreg() or entry.name.startswith("/") or ".." in parts:
                raise BadArchive(f"{source} holds {entry.name!r}, which is no plain file below a folder")
            yield entry.name, tar.extractfile(entry)  # type: ignore[misc] - a regular file has content


def chunks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file's content."""
    while chunk := file.read(CHUNK):
        yield chunk
