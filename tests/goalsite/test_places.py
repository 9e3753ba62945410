"""Where the embedded database's socket lives."""

import os
import stat
from pathlib import Path

import pytest

from goalsite import places


@pytest.fixture
def long_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    short = Path("/tmp") / f"gs-places-{os.getpid()}"
    short.mkdir(exist_ok=True)
    monkeypatch.setattr(places.tempfile, "gettempdir", lambda: str(short))
    yield tmp_path / ("long" * 40)
    for folder in sorted(short.rglob("*"), reverse=True):
        folder.unlink() if folder.is_symlink() or folder.is_file() else folder.rmdir()
    short.rmdir()


def test_a_short_data_folder_holds_the_socket_itself():
    assert places.socket_folder(Path("/srv/goalsite")) == Path("/srv/goalsite/postgres")


def test_the_longest_path_that_fits_is_used_and_one_byte_more_is_not(long_path):
    fits = places.SOCKET_PATH_LIMIT - len("/postgres/" + places.SOCKET_NAME)
    assert places.socket_folder(Path("/" + "x" * (fits - 1))).parent == Path("/" + "x" * (fits - 1))
    assert places.socket_folder(Path("/" + "x" * fits)).parent != Path("/" + "x" * fits)


def test_a_long_data_folder_gets_a_short_private_folder_the_same_each_time(long_path):
    folder = places.socket_folder(long_path)
    assert len(os.fsencode(folder / places.SOCKET_NAME)) <= places.SOCKET_PATH_LIMIT
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert places.socket_folder(long_path) == folder


def test_two_long_data_folders_do_not_share_a_socket(long_path):
    assert places.socket_folder(long_path) != places.socket_folder(long_path / "other")


def test_an_open_folder_at_the_name_is_not_used(long_path):
    first = places.socket_folder(long_path)
    first.chmod(0o755)
    second = places.socket_folder(long_path)
    assert second != first
    assert stat.S_IMODE(second.stat().st_mode) == 0o700


def test_a_link_at_the_name_is_not_followed(long_path, tmp_path):
    first = places.socket_folder(long_path)
    first.rmdir()
    target = tmp_path / "target"
    target.mkdir(mode=0o700)
    first.symlink_to(target)
    assert places.socket_folder(long_path) != first


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make another user's folder")
def test_another_users_folder_at_the_name_is_not_used(long_path):
    first = places.socket_folder(long_path)
    os.chown(first, 12345, 12345)
    assert places.socket_folder(long_path) != first


def test_when_every_name_is_taken_it_says_so(long_path):
    for _ in range(places.SPARE_NAMES):
        places.socket_folder(long_path).chmod(0o755)
    with pytest.raises(places.UnsafeFolder, match="TMPDIR"):
        places.socket_folder(long_path)
