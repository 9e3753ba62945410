"""What a dead Postgres left behind."""

import os

import pytest

from goalsite import pid_file
from goalsite.site_errors import PostgresError


@pytest.mark.parametrize(
    "content",
    ["", "\n", "12", "not a pid\n/data\n", pytest.param(f"{os.getpid()}\n/data\n", id="this process"), "4194304\n/d\n"],
)
def test_a_file_that_names_no_server_of_this_folder_names_nobody(tmp_path, content):
    (tmp_path / "postmaster.pid").write_text(content)
    assert pid_file.read(tmp_path).pid is None
    assert not pid_file.read(tmp_path).is_ready


def test_leftovers_are_removed(tmp_path):
    for name in ("postmaster.pid", *pid_file.LEFTOVERS):
        (tmp_path / name).write_text("1")
    pid_file.clear_stale(tmp_path, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_leftovers_stay_while_a_process_of_the_dead_server_lives(tmp_path):
    (tmp_path / "postmaster.pid").write_text("4194304\n/d\n")
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        with pytest.raises(PostgresError, match=str(os.getpid())):
            pid_file.clear_stale(tmp_path, tmp_path, seconds=0.1)
    finally:
        os.chdir(here)
    assert (tmp_path / "postmaster.pid").exists()
