"""A typed client can be generated from the schema, and does what it says at the live site."""

import importlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from goals import services
from goals.models import ApiToken, Goal, Question
from tests.goals.api.site import Site

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.drill]
BIN = Path(sys.executable).parent
STORY = Path(__file__).with_name("client_story.py")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the client was generated, on the path."""
    (tmp_path / "schema.json").write_text(json.dumps(SchemaGenerator().get_schema(request=None, public=True)))
    (tmp_path / "config.json").write_text(json.dumps({"post_hooks": []}))
    made = run(
        *(BIN / "openapi-python-client", "generate", "--path", "schema.json", "--config", "config.json"),
        *("--meta", "none", "--output-path", "goalsite_client", "--fail-on-warning"),
        folder=tmp_path,
    )
    assert "Warning" not in made
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(STORY.parent))
    return tmp_path


@pytest.fixture
def site(site_environment: dict[str, str]) -> Iterator[Site]:
    running = Site(site_environment)
    try:
        yield running
    finally:
        running.stop()


def run(*command: Any, folder: Path) -> str:
    ran = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout[-5000:] + ran.stderr[-5000:]
    return ran.stdout + ran.stderr


def test_a_program_submits_follows_answers_and_lists_by_the_generated_client(package, site, ada):
    """The types are checked beside the site that the same program then talks to."""
    checking = subprocess.Popen(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", str(package), str(STORY)],
        env={**os.environ, "MYPYPATH": str(package)},
        cwd=package,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    story = importlib.import_module("client_story")
    _, secret = ApiToken.objects.issue(ada, name="program", scopes=["read", "act"])
    with story.AuthenticatedClient(site.url, token=secret) as client:
        made = story.submit(client, "Count to ten")
        assert story.submit(client, "Count to ten").id == made.id
        goal = Goal.objects.get()
        steering = threading.Timer(0.5, services.steer, [ada, goal.pk, "Hurry"])
        assert [event.kind for event in story.follow(client, made.id, 0)] == ["goal.created"]
        steering.start()
        assert [event.kind for event in story.follow(client, made.id, 1)] == ["goal.steered"]
        steering.join()
        Question.objects.create(goal=goal, kind="information", key="origin", prompt="Where from?")
        assert story.answer(client, made.id, "Rome").answered_by == "ada"
        code, tag = story.pause_as_seen(client, made.id)
        assert (code, story.pause_as_seen(client, made.id, tag)[0]) == (200, 412)
        assert story.submit_all(client, ["One", "Two", "Three"]) == ["One", "Two", "Three"]
        assert story.walk(client, 3) == [["Three", "Two", "One"], ["Count to ten"]]
        assert story.refused(client).code == "invalid_input"
    said, _ = checking.communicate(timeout=300)
    assert checking.returncode == 0, said
