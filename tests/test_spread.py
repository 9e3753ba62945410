"""How the suite is spread over workers: the whole of it is, a choice is not, and what must stay together does."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import spread

ROOT = Path(__file__).parent.parent


def asked(*paths: str, folder: Path = ROOT, **options: str) -> int:
    """How many workers a command line with these paths and options gets."""
    option = SimpleNamespace(markexpr="", keyword="", lf=False)
    vars(option).update(options)
    given = SimpleNamespace(dir=folder)
    return spread.workers_for(SimpleNamespace(args=paths, option=option, invocation_params=given, rootpath=ROOT))


@pytest.mark.parametrize("paths", [("tests",), ("tests/",), (str(ROOT / "tests"),)])
def test_the_whole_suite_has_a_worker_more_than_there_are_cores(paths):
    assert asked(*paths) == spread.WORKERS > 1


@pytest.mark.parametrize("paths", [("tests/goals",), ("tests/test_spread.py::test_a_choice",), ("tests", "tests/sops")])
def test_a_chosen_part_has_none_to_wait_for(paths):
    assert asked(*paths) == 0
    assert asked("tests", markexpr="drill") == asked("tests", keyword="train") == asked("tests", lf=True) == 0


def test_a_file_stays_whole_and_the_drills_follow_one_another():
    scope = spread.ByFile._split_scope
    assert scope(None, "tests/goals/test_trees.py::TestDeep::test_a[x::y]") == "tests/goals/test_trees.py"
    drills = {scope(None, f"tests/drills/{name}.py::test_it") for name in ("test_kill", "test_freeze")}
    assert len(drills) == 1


def test_what_takes_longest_begins_first_and_a_file_is_not_torn_apart():
    marks = {
        "tests/core.py::a": "",
        "tests/up.py::a": "",
        "tests/up.py::b": "drill",
        "tests/drills/kill.py::a": "drill",
    }
    items = [SimpleNamespace(nodeid=name, get_closest_marker=mark.__eq__) for name, mark in marks.items()]
    spread.sort(items)
    order = ["tests/drills/kill.py::a", "tests/up.py::a", "tests/up.py::b", "tests/core.py::a"]
    assert [item.nodeid for item in items] == order


def test_what_is_logged_of_half_a_character_can_be_sent_by_a_worker():
    report = {"sections": [("log", "half a \udc00")], "number": 1}
    assert spread.sendable(report) == {"sections": [("log", "half a \\udc00")], "number": 1}
