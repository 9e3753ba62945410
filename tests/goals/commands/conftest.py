"""What the command tests share: `manage.py` as a process of its own on the test's database, and a folder to work in."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command

from goals import tally
from goals.chat import examples
from goalsite.login_once import operator
from tests.endpoint import Endpoint
from tests.goals.commands.processes import Manage


@pytest.fixture
def model(tmp_path: Path) -> Iterator[Endpoint]:
    """A scriptable model that the commands find where a running site would have its rehearsal model."""
    with Endpoint() as running:
        place = tmp_path / "data" / "run"
        place.mkdir(parents=True)
        (place / "rehearsal-port").write_text(str(running.port))
        yield running


@pytest.fixture
def manage(site_environment: dict[str, str], model: Endpoint, tmp_path: Path, library: None) -> Manage:
    """Runs a command on the test's database, with the site's procedures loaded and its operator made."""
    operator()
    return Manage({**site_environment, "GOALSITE_DATA_DIR": str(tmp_path / "data"), "PYTHONUNBUFFERED": "1"})


@pytest.fixture
def run_here(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs a command within the test's own process: (exit code, standard output, standard error)."""

    def run(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            call_command(*words)
        except SystemExit as ended:
            return int(ended.code or 0), *capsys.readouterr()
        return 0, *capsys.readouterr()

    return run


@pytest.fixture
def here(run_here: Callable[..., Any], model: Endpoint, library: None, settings: Any) -> Callable[..., Any]:
    """The same, with the site's procedures loaded, its operator made, and a model that answers."""
    operator()
    settings.GOALSITE_REHEARSAL_PORT = model.port
    return run_here


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with Python modules and two tables."""
    folder = tmp_path / "workspace"
    shutil.copytree(examples.SAMPLES / "python", folder)
    (folder / "beds.csv").write_text("Bed;Crop\n1;Bean\n2;Kale\n")
    (folder / "harvest.csv").write_text("Crop,Weight\nBean,4.2\nKale,3.1\n")
    return folder


@pytest.fixture
def rows() -> Callable[[], dict[str, int]]:
    """Counts the rows of every table of ours, and of users and their conversations, once no figures are pending."""
    models: list[Any] = [
        m for app in ("goals", "sops", "artifacts", "auth") for m in apps.get_app_config(app).get_models()
    ]

    def count() -> dict[str, int]:
        tally.flush()  # of tests before this one; a command brings what is pending to the database when it ends
        return {model.__name__: model.objects.count() for model in models}

    return count
