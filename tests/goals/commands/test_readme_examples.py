"""The examples of the README print what it says."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.goals.commands.processes import HOME

BLOCKS = re.findall(r"^```\n(.*?)^```$", (HOME / "README.md").read_text(), re.MULTILINE | re.DOTALL)
SETTING_UP = next(block for block in BLOCKS if block.startswith("mkdir garden"))
LISTING = next(block for block in BLOCKS if "manage.py goals list" in block)
EXAMPLES = [block for block in BLOCKS if block.startswith("$ ") and "--workspace garden" in block]


def alike(text: str) -> list[str]:
    """Return the lines without what differs each time: the goal's id, its folder, tokens, seconds."""
    text = re.sub(r"goal [0-9a-f-]{36} in .*", "goal ID in FOLDER", text)
    text = re.sub(r"^[0-9a-f-]{36}  completed  \d+[smh] +", "ID  completed  AGE  ", text, flags=re.MULTILINE)
    text = re.sub(r"\d+ tokens", "TOKENS", text)
    return re.sub(r"[\d.]+ of 7200 s", "SECONDS", text).splitlines()


@pytest.fixture
def garden(tmp_path: Path) -> Path:
    (tmp_path / "goals").symlink_to(HOME / "goals")
    subprocess.run(["sh", "-ec", SETTING_UP], cwd=tmp_path, check=True)
    return tmp_path / "garden"


def run(example, garden, here):
    """Run an example as it stands in the README; returns what it printed, beside what it should."""
    command, told = example.split("\n", 1)
    words = shlex.split(command)
    assert words[:3] == ["$", ".venv/bin/python", "manage.py"]
    code, out, error = here(*[str(garden) if word == "garden" else word for word in words[3:]])
    assert (code, error) == (0, "")
    return alike(out), alike(told)


@pytest.mark.parametrize("example", EXAMPLES, ids=["python", "table", "logs"])
def test_it_prints_what_the_readme_shows(example, garden, here):
    out, told = run(example, garden, here)
    assert out == told


def test_the_goal_that_was_run_is_listed_as_the_readme_shows(garden, here):
    run(EXAMPLES[0], garden, here)
    out, told = run(LISTING, garden, here)
    assert out == told
