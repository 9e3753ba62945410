"""Blobs: files named by the SHA-256 of their content, below `artifacts/` in the data folder.

Written at once and never changed. A blob whose transaction was rolled back stays behind and does no harm, until
`artifacts.orphans` takes it away.
"""

import hashlib
import os
import re
import tempfile
import time
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from artifacts.exceptions import BlobDamaged, BlobMissing

SHA256 = re.compile(r"[0-9a-f]{64}")
DRAFT = ".new-"
YOUNG = 3600.0  # seconds; far less than the age at which what no row names is taken away


def write(data: bytes) -> str:
    """Store `data` durably and return its SHA-256 in hexadecimal. Storing it again costs a look."""
    digest = hashlib.sha256(data).hexdigest()
    target = _path(digest)
    if not (_holds(target, data) and _is_kept(target)):
        _write_atomically(target, data)
    return digest


def folder() -> Path:
    """Where all blobs are."""
    return Path(settings.GOALSITE_DATA_DIR) / "artifacts"


def read(digest: str) -> bytes:
    """The content of the blob, checked against its digest. Raises BlobMissing, BlobDamaged."""
    with open_verified(digest) as file:
        return file.read()


def open_verified(digest: str) -> BinaryIO:
    """The blob as an open file at its start, after its whole content was checked. The caller closes it."""
    try:
        file = _path(digest).open("rb")
    except FileNotFoundError:
        raise BlobMissing(f"blob {digest} is not in the data folder") from None
    try:
        if hashlib.file_digest(file, "sha256").hexdigest() != digest:
            raise BlobDamaged(f"blob {digest} has another content than its digest says")
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _path(digest: str) -> Path:
    if not SHA256.fullmatch(digest):
        raise BlobMissing(f"{digest!r} is no SHA-256 digest")
    return folder() / digest[:2] / digest[2:]


def _holds(target: Path, data: bytes) -> bool:
    try:
        return target.stat().st_size == len(data) and target.read_bytes() == data
    except FileNotFoundError:
        return False


def _is_kept(target: Path) -> bool:
    """Make a blob young, so that it is left alone until its row is written; False when it was just taken away."""
    try:
        if time.time() - target.stat().st_mtime > YOUNG:
            os.utime(target)
    except FileNotFoundError:
        return False
    return True


def _write_atomically(target: Path, data: bytes) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=DRAFT, delete=False) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, target)
        except BaseException:
            os.unlink(file.name)
            raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
