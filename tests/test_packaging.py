"""A wheel would hold everything that is read at run time."""

import tomllib
from fnmatch import fnmatch
from pathlib import Path

HOME = Path(__file__).parent.parent
SETUPTOOLS = tomllib.loads((HOME / "pyproject.toml").read_text())["tool"]["setuptools"]
ROOMS = ("goalsite", "goals", "sops", "artifacts", "templates")


def test_every_room_is_packaged():
    assert SETUPTOOLS["packages"]["find"]["include"] == [f"{room}*" for room in ROOMS]


def test_every_file_that_is_no_module_is_package_data():
    patterns = SETUPTOOLS["package-data"]["*"]
    files = [path for room in ROOMS for path in (HOME / room).rglob("*") if path.is_file()]
    data = [path for path in files if path.suffix not in {".py", ".pyc"}]
    assert data
    assert [path for path in data if not any(fnmatch(path.name, pattern) for pattern in patterns)] == []
