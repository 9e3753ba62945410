"""Blobs on disk: whole or not there, and checked when read. No database."""

import hashlib
import os

import pytest

from artifacts import storage
from artifacts.exceptions import BlobDamaged, BlobMissing

DIGEST = hashlib.sha256(b"data").hexdigest()


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def blob(data_dir):
    storage.write(b"data")
    return data_dir / "artifacts" / DIGEST[:2] / DIGEST[2:]


def test_a_blob_lies_where_its_digest_says_and_comes_back(data_dir):
    assert storage.write(b"data") == DIGEST
    assert files(data_dir) == [f"artifacts/{DIGEST[:2]}/{DIGEST[2:]}"]
    assert storage.read(DIGEST) == b"data"


def test_writing_it_again_changes_no_file(blob):
    before = blob.stat()
    assert storage.write(b"data") == DIGEST
    assert (blob.stat().st_ino, blob.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_only_the_owner_may_read_it(blob):
    assert blob.stat().st_mode & 0o077 == 0
    assert blob.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", [b"", b"date", b"data and more"])
def test_a_damaged_blob_is_never_handed_out_and_is_repaired_by_writing_it_again(blob, content):
    blob.write_bytes(content)
    with pytest.raises(BlobDamaged, match=DIGEST):
        storage.read(DIGEST)
    storage.write(b"data")
    assert storage.read(DIGEST) == b"data"


def test_a_missing_blob_is_an_error_with_a_name(data_dir):
    with pytest.raises(BlobMissing, match="0000"):
        storage.read("0" * 64)


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "A" * 64, "0" * 63, "0" * 64 + "\n", "0" * 62 + "/x"])
def test_only_a_digest_names_a_blob(data_dir, digest):
    with pytest.raises(BlobMissing, match="no SHA-256"):
        storage.read(digest)


def test_a_write_that_fails_leaves_nothing_behind(data_dir, monkeypatch):
    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        storage.write(b"data")
    assert files(data_dir) == []
