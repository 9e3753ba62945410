"""The file tools on real, messy folders."""

import json
import os
import time

import pytest

from goals.tools import registry, tree
from goals.tools.base import ToolContext
from goals.tools.errors import ToolInputError, ToolTimeout
from goals.tools.workspace import Workspace
from tests.goals.tools.conftest import call_tool


@pytest.fixture
def messy(root):
    """A folder with everything that folders have in the wild."""
    (root / "src").mkdir()
    (root / "src" / "main.py").write_text("# TODO: first\nprint('ok')\n")
    (root / "latin.txt").write_bytes("Grüße TODO\n".encode("latin-1"))
    (root / "wide.txt").write_bytes("todo in UTF-16\n".encode("utf-16"))
    (root / "image.bin").write_bytes(b"\x89PNG\0\0TODO" + bytes(range(256)))
    (root / "empty").touch()
    (root / "long.txt").write_text("x" * 100_000 + " TODO\n")
    os.mkfifo(root / "pipe")
    (root / "loop").symlink_to(".")
    (root / "out").symlink_to("/etc")
    (root / "dangling").symlink_to("nowhere")
    os.close(os.open(os.fsencode(root) + b"/bad\xff.txt", os.O_CREAT))
    (root / "node_modules").mkdir()
    (root / "node_modules" / "x.js").write_text("TODO")
    return root


def test_a_messy_folder_is_listed_and_what_is_odd_is_told(messy, call):
    value = call("list_files")
    assert value["paths"] == ["empty", "image.bin", "latin.txt", "long.txt", "wide.txt", "src/main.py"]
    odd = {p["path"]: p["problem"] for p in value["problems"]}
    assert "link" in odd["loop"]
    assert "link" in odd["out"]
    assert "pipe" in odd["pipe"]
    assert "not valid UTF-8" in odd["bad\ufffd.txt"]
    assert value["ignored"] == 1
    json.dumps(value).encode("ascii")


def test_a_messy_folder_is_searched_with_every_encoding(messy, call):
    value = call("search_files", query="todo")
    assert [m["path"] for m in value["matches"]] == ["latin.txt", "wide.txt", "src/main.py"]
    assert value["matches"][0]["text"] == "Grüße TODO"


def test_files_are_left_out_by_glob(messy, call):
    assert call("search_files", query="todo", exclude=["*.txt"])["by_file"] == [{"path": "src/main.py", "matches": 1}]
    assert "src/main.py" not in call("list_files", exclude=["src/**"])["paths"]


def test_a_regular_expression_gives_its_groups(messy, call):
    value = call("search_files", query=r"# (TODO|FIXME): (\w+)", regex=True, case_sensitive=True)
    assert value["matches"][0]["groups"] == ["TODO", "first"]


def test_a_regular_expression_that_never_ends_is_stopped(root):
    (root / "bomb.txt").write_text("a" * 40 + "!\n")
    context = ToolContext("goal", None, Workspace(root), "key", deadline_seconds=1.0)
    started = time.monotonic()
    with pytest.raises(ToolTimeout):
        call_tool(context, "search_files", query="(a+)+$", regex=True)
    assert time.monotonic() - started < 30


def test_a_query_that_is_no_regular_expression_is_refused(call):
    with pytest.raises(ToolInputError, match="no regular expression"):
        call("search_files", query="(", regex=True)


def test_matches_beyond_the_limit_are_told(root, call):
    (root / "many").write_text("x\n" * 100)
    value = call("search_files", query="x", max_matches=10)
    assert (value["count"], value["truncated"]) == (10, True)


def test_a_huge_folder_is_bounded(root, call, monkeypatch):
    monkeypatch.setattr(tree, "MAX_ENTRIES", 20)
    for n in range(50):
        (root / f"f{n:02d}").touch()
    value = call("list_files")
    assert value["truncated"] is True
    assert value["count"] == 20


def test_a_deep_tree_is_bounded(root, call):
    here = root
    for _ in range(60):
        here = here / "d"
        here.mkdir()
    value = call("list_files")
    assert value["truncated"] is True
    assert "deeper than" in value["problems"][0]["problem"]


def test_an_unreadable_file_is_a_problem_not_a_crash(root, call, monkeypatch):
    (root / "a.txt").write_text("x")
    (root / "b.txt").write_text("x")
    honest = os.open

    def forbidding(path, *args, **kwargs):
        if path == "a.txt":
            raise PermissionError(13, "Permission denied")
        return honest(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", forbidding)
    value = call("read_many_files", pattern="*.txt")
    assert [f["path"] for f in value["files"]] == ["b.txt"]
    assert "Permission denied" in value["problems"][0]["problem"]


def test_a_binary_file_has_no_text(messy, call):
    value = call("read_file", path="image.bin")
    assert (value["text"], value["binary"]) == (None, True)


def test_lines_are_counted_as_editors_do(root, call):
    (root / "f").write_bytes(b"a\x0cb\r\nc\rd\xe2\x80\xa8e\n")
    assert call("read_file", path="f")["lines"] == 3


def test_part_of_a_file_is_read_and_says_so(root, call):
    (root / "f").write_text("".join(f"{n}\n" for n in range(1, 11)))
    value = call("read_file", path="f", first_line=3, max_lines=2)
    assert (value["text"], value["lines"], value["truncated"]) == ("3\n4\n", 10, True)


def test_a_tool_runs_out_of_its_time(messy):
    context = ToolContext("goal", None, Workspace(messy), "key", deadline_seconds=0)
    with pytest.raises(ToolTimeout) as caught:
        call_tool(context, "list_files")
    assert caught.value.retryable


def test_writing_twice_changes_once(root, call):
    assert call("write_file", path="a/b.txt", content="x")["changed"] is True
    assert call("write_file", path="a/b.txt", content="x")["changed"] is False
    with pytest.raises(ToolInputError, match="overwrite is false"):
        call("write_file", path="a/b.txt", content="y", overwrite=False)
    assert (root / "a" / "b.txt").read_text() == "x"


@pytest.mark.parametrize(("old", "new"), [("one", "uno"), ("one", "one and a half"), ("one", "one one")])
def test_an_edit_that_is_repeated_after_a_crash_changes_nothing(root, call, old, new):
    (root / "f").write_text("one two\n")
    assert call("edit_file", path="f", old=old, new=new)["changed"] is True
    after = (root / "f").read_text()
    assert call("edit_file", path="f", old=old, new=new)["changed"] is False
    assert (root / "f").read_text() == after


@pytest.mark.parametrize("text", ["nothing here", "one one"])
def test_an_edit_needs_the_old_text_exactly_once(root, call, text):
    (root / "f").write_text(text)
    with pytest.raises(ToolInputError, match="exactly once"):
        call("edit_file", path="f", old="one", new="uno")


def test_an_edit_keeps_the_encoding_or_is_refused(root, call):
    (root / "f").write_bytes("Grüße\r\n".encode("cp1252"))
    call("edit_file", path="f", old="Grüße", new="Größe")
    assert (root / "f").read_bytes() == "Größe\r\n".encode("cp1252")
    with pytest.raises(ToolInputError, match="cannot hold"):
        call("edit_file", path="f", old="Größe", new="大小")


def test_a_note_is_saved_once_per_call(root, call):
    assert call("save_memory", note="the port is 80", topic="web")["added"] is True
    assert call("save_memory", note="the port is 80", topic="web")["added"] is False
    assert (root / "MEMORY.md").read_text().count("the port is 80") == 1


def test_wrong_arguments_name_the_field_and_what_is_allowed():
    with pytest.raises(ToolInputError, match=r"file: Extra inputs.*Allowed fields: path, first_line, max_lines"):
        registry.get("read_file").parse({"path": "x", "file": "y"})
