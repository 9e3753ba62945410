"""The commands on a data folder of its own: before `manage.py up` has ever run there, and beside the running site."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from goals.chat import examples
from tests.goals.commands.processes import Manage, objects
from tests.goalsite.processes import eventually, mentioning
from tests.goalsite.test_up import Site, environment

pytestmark = pytest.mark.drill
INVENTORY = "Write an inventory of the Python modules in this folder"


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    found = Path(tempfile.mkdtemp(prefix="gs-commands-", dir="/tmp"))
    found.chmod(0o755)
    yield found / "data"
    shutil.rmtree(found, ignore_errors=True)


@pytest.fixture(scope="module")
def manage(data_dir: Path) -> Manage:
    return Manage(environment(data_dir))


@pytest.fixture(scope="module")
def fresh(manage: Manage, data_dir: Path) -> list[dict]:
    """The first command ever on the data folder: what a goal printed there, with no site."""
    workspace = data_dir.parent / "first"
    shutil.copytree(examples.SAMPLES / "python", workspace)
    ran = manage("goal", INVENTORY, "--workspace", str(workspace), "--json")
    assert ran.returncode == 0, ran.stderr
    return objects(ran.stdout)


@pytest.fixture(scope="module")
def site(fresh: list[dict], data_dir: Path) -> Iterator[Site]:
    running = Site(data_dir)
    yield running
    running.stop()


def test_a_goal_is_the_first_command_on_a_fresh_folder(fresh, data_dir):
    assert fresh[-1]["outcome"] == "achieved"
    assert (data_dir.parent / "first" / "python-inventory.md").exists()
    eventually(lambda: not mentioning(str(data_dir)), 60, "nothing is left running")


def test_procedures_are_listed_and_refused_with_the_site_down(fresh, manage, tmp_path):
    (tmp_path / "bad.json").write_text("{")
    assert manage("load_sops", str(tmp_path / "bad.json")).returncode == 64
    ran = manage("load_sops")
    assert (ran.returncode, "csv-to-json version 1: unchanged" in ran.stdout.splitlines()) == (0, True)


def test_a_goal_runs_here_while_the_site_is_up(site, manage, tmp_path):
    shutil.copytree(examples.SAMPLES / "logs", tmp_path / "logs")
    ran = manage("goal", "Group the errors in the log files and count them", "--workspace", str(tmp_path / "logs"))
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "logs" / "log-triage.md").exists()
    assert site.process.poll() is None


def test_a_detached_goal_is_driven_by_the_sites_workers(site, manage, tmp_path):
    tmp_path.chmod(0o755)
    shutil.copytree(examples.SAMPLES / "python", tmp_path / "left")
    ran = manage("goal", INVENTORY, "--workspace", str(tmp_path / "left"), "--detach")
    assert ran.returncode == 0
    eventually(lambda: (tmp_path / "left" / "python-inventory.md").exists(), 60, "a worker has written the report")


def test_procedures_are_loaded_and_exported_while_the_site_is_up(site, manage, tmp_path):
    assert manage("export_sops", "log-triage", "--to", str(tmp_path)).returncode == 0
    text = (tmp_path / "log-triage.yaml").read_text().replace("title: ", "title: My ", 1)
    (tmp_path / "log-triage.yaml").write_text(text)
    ran = manage("load_sops", str(tmp_path))
    assert (ran.returncode, ran.stdout) == (0, "log-triage version 2: updated\n")
