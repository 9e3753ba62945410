"""Blobs that no row names are taken away; whoever stores one of them meanwhile has it. No database."""

import os
import time

import pytest

from artifacts import orphans, storage
from artifacts.exceptions import BlobMissing

DAY = 86_400.0


@pytest.fixture
def old(data_dir):
    """The digest of a blob that was written two days ago."""
    digest = storage.write(b"data")
    grow_old(digest)
    return digest


def grow_old(digest):
    at = time.time() - 2 * DAY
    os.utime(storage._path(digest), (at, at))


def sweep(named=lambda digests: set()):
    *_, done = orphans.sweep(named, time.time() - DAY, batch=1)
    return done


def left():
    return sorted(path.name for path in storage.folder().rglob("*") if path.is_file())


def test_an_old_one_that_nobody_names_goes_and_a_young_or_named_one_stays(old, data_dir):
    assert sweep(set) == orphans.Swept()
    young = storage.write(b"young")
    assert sweep() == orphans.Swept(files=1, bytes=4)
    assert left() == [young[2:]]


def test_storing_it_again_makes_it_young(old):
    storage.write(b"data")
    assert sweep() == orphans.Swept()
    assert storage.read(old) == b"data"


@pytest.mark.parametrize("when", ["named", "stored", "stored anew"])
def test_one_that_is_needed_while_it_is_put_aside_is_put_back(old, monkeypatch, when):
    """Between the look at the rows and the putting aside, or between that and the end."""
    looks = []

    def named(digests):
        looks.append(digests)
        if when == "named":
            return set(digests) if len(looks) == 2 else set()
        if (len(looks) == 1) == (when == "stored"):
            storage.write(b"data")
        return set()

    assert sweep(named).files == (when == "stored anew")
    assert storage.read(old) == b"data"
    assert left() == [old[2:]]


def test_what_a_killed_sweep_or_writer_left_is_tidied(old, data_dir):
    whole = storage._path(old)
    aside, draft = whole.with_name(orphans.ASIDE + whole.name), whole.with_name(".new-abc")
    os.rename(whole, aside)
    draft.write_bytes(b"half")
    os.utime(draft, (0, 0))
    assert sweep(set).files == 1, "the draft"
    assert storage.read(old) == b"data", "one that is named is put back"
    os.rename(whole, aside)
    grow = time.time() - 2 * DAY
    os.utime(aside, (grow, grow))
    assert sweep().files == 1
    with pytest.raises(BlobMissing):
        storage.read(old)
    assert left() == []
