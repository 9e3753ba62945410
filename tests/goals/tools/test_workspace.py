"""File tools cannot leave the workspace, whatever the path or the tree looks like."""

import os
import socket
import threading
from functools import partial
from pathlib import Path

import pytest

from goals.tools import beneath
from goals.tools.errors import OutsideWorkspace, ToolError, ToolInputError
from goals.tools.workspace import Workspace


@pytest.fixture
def workspace(root: Path) -> Workspace:
    (root.parent / "secret.txt").write_text("secret")
    (root / "own.txt").write_text("own")
    return Workspace(root)


@pytest.mark.parametrize("path", ["../secret.txt", "a/../../secret.txt", "own.txt/..", "a/..", ".."])
def test_dots_are_refused_in_paths(workspace, root, path):
    (root / "a").mkdir()
    for act in (workspace.read_bytes, workspace.resolve_read, partial(workspace.write_bytes, data=b"")):
        with pytest.raises(OutsideWorkspace, match=r"'\.\.' is not allowed"):
            act(path)


def test_absolute_paths_are_taken_only_beneath_the_root(workspace, root):
    assert workspace.read_bytes(str(root / "own.txt")) == b"own"
    for path in (str(root.parent / "secret.txt"), "/etc/passwd", str(root) + "-other/x"):
        with pytest.raises(OutsideWorkspace):
            workspace.read_bytes(path)
        with pytest.raises(OutsideWorkspace):
            workspace.write_bytes(path, b"x")


@pytest.mark.parametrize("target", ["../secret.txt", "/etc/passwd", "a/../../secret.txt", "../workspace/../secret.txt"])
def test_links_out_are_not_followed(workspace, root, target):
    (root / "a").mkdir()
    (root / "link").symlink_to(target)
    with pytest.raises(OutsideWorkspace):
        workspace.read_bytes("link")
    with pytest.raises(OutsideWorkspace):
        workspace.write_bytes("link", b"x")
    assert (root.parent / "secret.txt").read_text() == "secret"


def test_a_linked_folder_out_is_neither_read_nor_written_through(workspace, root):
    (root.parent / "outside").mkdir()
    (root / "out").symlink_to(root.parent / "outside")
    for act in (lambda: workspace.write_bytes("out/x", b"x"), lambda: workspace.read_bytes("out/x")):
        with pytest.raises(OutsideWorkspace):
            act()
    assert list((root.parent / "outside").iterdir()) == []


def test_links_that_stay_inside_are_followed(workspace, root):
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "up").symlink_to("../../own.txt")
    (root / "absolute").symlink_to(root / "own.txt")
    assert workspace.read_bytes("a/b/up") == b"own"
    assert workspace.read_bytes("absolute") == b"own"


def test_links_in_a_circle_are_an_error(workspace, root):
    (root / "x").symlink_to("y")
    (root / "y").symlink_to("x")
    with pytest.raises(ToolInputError, match="too many links"):
        workspace.read_bytes("x")


def test_a_folder_swapped_for_a_link_while_reading_never_shows_what_is_outside(workspace, root):
    """The race is run for real: a thread swaps a folder and a link out of the workspace all the time."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "f").write_text("secret")
    (root / "real").mkdir()
    (root / "real" / "f").write_text("own")
    (root / "link").symlink_to(outside)
    (root / "swap").mkdir()
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for name in ("real", "link"):
                os.rename(root / name, root / "swap" / "at")
                os.rename(root / "swap" / "at", root / "d")
                os.rename(root / "d", root / name)

    thread = threading.Thread(target=swap)
    thread.start()
    seen = set()
    try:
        for _ in range(4000):
            try:
                seen.add(workspace.read_bytes("d/f"))
            except ToolError:
                continue
    finally:
        stop.set()
        thread.join()
    assert b"secret" not in seen


def test_a_component_that_becomes_a_link_between_look_and_open_is_refused(workspace, root, monkeypatch):
    (root / "d").mkdir()
    (root.parent / "d").mkdir()
    (root.parent / "d" / "f").write_text("secret")
    honest = beneath.Descent._link_target

    def late(self, name):
        answer = honest(self, name)
        if name == "d" and not (root / "d").is_symlink():
            (root / "d").rmdir()
            (root / "d").symlink_to(root.parent / "d")
        return answer

    monkeypatch.setattr(beneath.Descent, "_link_target", late)
    with pytest.raises(ToolError):
        workspace.read_bytes("d/f")


def test_a_pipe_does_not_hang_and_is_refused(workspace, root):
    os.mkfifo(root / "pipe")
    for act in (workspace.read_bytes, workspace.resolve_read, partial(workspace.write_bytes, data=b"")):
        with pytest.raises(OutsideWorkspace):
            act("pipe")


def test_a_pipe_that_appears_between_look_and_open_does_not_hang(workspace, root, monkeypatch):
    os.mkfifo(root / "late")
    honest, calls = beneath._refuse_special, []

    def first_look_sees_a_file(found, name):
        calls.append(name)
        if len(calls) > 1:
            honest(found, name)

    monkeypatch.setattr(beneath, "_refuse_special", first_look_sees_a_file)
    with pytest.raises(OutsideWorkspace):
        workspace.read_bytes("late")


def test_sockets_and_devices_are_refused(workspace, root):
    with socket.socket(socket.AF_UNIX) as server:
        here = os.open(root, os.O_RDONLY)
        server.bind(f"/proc/self/fd/{here}/socket")
        os.close(here)
        with pytest.raises(OutsideWorkspace):
            workspace.read_bytes("socket")
    with pytest.raises(OutsideWorkspace):
        Workspace("/dev").read_bytes("zero", limit=10)


def test_read_roots_are_read_but_not_written(root):
    other = root.parent / "library"
    other.mkdir()
    (other / "book").write_text("text")
    workspace = Workspace(root, (other,))
    assert workspace.read_bytes(str(other / "book")) == b"text"
    with pytest.raises(OutsideWorkspace):
        workspace.write_bytes(str(other / "book"), b"x")


def test_folders_of_version_control_are_not_written_even_through_a_link(workspace, root):
    (root / ".git" / "hooks").mkdir(parents=True)
    (root / "alias").symlink_to(".git")
    for path in (".git/hooks/x", ".GIT/config", "alias/hooks/x", ".git"):
        with pytest.raises(OutsideWorkspace):
            workspace.write_bytes(path, b"x")
    assert list((root / ".git" / "hooks").iterdir()) == []


def test_the_sites_own_folder_is_out_of_reach_inside_a_workspace(root, settings):
    settings.GOALSITE_DATA_DIR = root / "data"
    (root / "data").mkdir()
    (root / "data" / "secret_key").write_text("secret")
    (root / "alias").symlink_to("data")
    workspace = Workspace(root)
    for path in ("data/secret_key", "alias/secret_key"):
        with pytest.raises(OutsideWorkspace):
            workspace.read_bytes(path)
        with pytest.raises(OutsideWorkspace):
            workspace.write_bytes(path, b"x")


def test_a_workspace_inside_the_sites_folder_works(root, settings):
    settings.GOALSITE_DATA_DIR = root.parent
    workspace = Workspace(root)
    workspace.write_bytes("a/b", b"x")
    assert workspace.read_bytes("a/b") == b"x"


def test_a_write_replaces_the_whole_file_and_keeps_its_mode(workspace, root):
    (root / "own.txt").chmod(0o640)
    before = (root / "own.txt").stat().st_ino
    workspace.write_bytes("own.txt", b"new")
    assert (root / "own.txt").read_bytes() == b"new"
    assert (root / "own.txt").stat().st_mode & 0o777 == 0o640
    assert (root / "own.txt").stat().st_ino != before
    assert sorted(p.name for p in root.iterdir()) == ["own.txt"]


def test_a_hard_link_to_the_outside_is_replaced_not_written_through(workspace, root):
    os.link(root.parent / "secret.txt", root / "hard")
    workspace.write_bytes("hard", b"new")
    assert (root.parent / "secret.txt").read_text() == "secret"


def test_writes_over_the_limit_leave_nothing(workspace, root, monkeypatch):
    monkeypatch.setattr("goals.tools.workspace.MAX_WRITE_BYTES", 10)
    with pytest.raises(ToolInputError, match="at most 10 bytes"):
        workspace.write_bytes("big", b"x" * 11)
    assert sorted(p.name for p in root.iterdir()) == ["own.txt"]


def test_lines_appended_by_many_threads_are_all_there(workspace, root):
    threads = [
        threading.Thread(target=workspace.append_line, args=("log", f"<{n}>"), kwargs={"unless": f"<{n}>"})
        for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len((root / "log").read_text().splitlines()) == 20


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000, "\ud800", "/".join("a" * 200)])
def test_odd_paths_are_refused_with_a_message(workspace, path):
    with pytest.raises(ToolInputError):
        workspace.read_bytes(path)


def test_a_missing_file_is_named(workspace):
    with pytest.raises(ToolInputError, match=r"'nothing\.txt': No such file"):
        workspace.read_bytes("nothing.txt")
