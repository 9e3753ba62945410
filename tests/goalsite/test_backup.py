"""A backup of a running site, and what comes back of it."""

import json
import shutil
import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connection

from artifacts.copying import BeingCopied, taking_away
from goals.chat import examples
from goalsite import archive, backup, postgres_programs
from tests.goals.commands.processes import Manage, objects
from tests.goalsite.test_up import Site, environment

pytestmark = pytest.mark.drill
LOOK = """
import json
from artifacts import storage
from artifacts.models import Artifact
from goals import events
from goals.models import Event, Goal, Webhook
blobs = Artifact.objects.exclude(blob_sha256=None).values_list("blob_sha256", flat=True)
print(json.dumps({
    "goals": {g.objective: [g.status, g.reason, g.workspace] for g in Goal.objects.all()},
    "events": Event.objects.count(),
    "broken": [str(g.pk) for g in Goal.objects.all() if events.broken_at(g.pk) is not None],
    "webhooks": [[w.active, w.disabled_because] for w in Webhook.objects.all()],
    "blobs": [len(storage.read(digest)) for digest in blobs],
}))
"""
KEEP = """
from artifacts import services
from goals.models import Goal
from goals.webhooks import acts
context = Goal.objects.first().artifact_context
services.create_artifact(context=context, name="picture", type="file", blob=b"x" * 300_000, description="-")
acts.make(Goal.objects.first().owner, {"address": "https://example.org/in", "kinds": ["artifact.created"]})
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Iterator[Path]:
    found = Path(tmp_path_factory.mktemp("backup"))
    found.chmod(0o755)
    yield found
    shutil.rmtree(found, ignore_errors=True)


@pytest.fixture(scope="module")
def saved(folder: Path) -> Path:
    """A backup made while the site was up: one goal done, one that waits for an answer."""
    data_dir = folder / "first"
    manage = Manage(environment(data_dir))
    site = Site(data_dir)
    try:
        shutil.copytree(examples.SAMPLES / "python", folder / "code")
        done = manage(
            "goal", "Write an inventory of the Python modules in this folder", "--workspace", str(folder / "code")
        )
        assert done.returncode == 0, done.stderr
        waits = manage("goal", "Book me a train", "--json")
        assert objects(waits.stdout)[-1]["status"] == "waiting"
        kept = manage("shell", "-c", KEEP)
        assert kept.returncode == 0, kept.stderr
        target = folder / "site.tar"
        ran = manage("backup", str(target))
        assert ran.returncode == 0, ran.stderr
        assert "1 blobs" in ran.stdout
        assert site.process.poll() is None
    finally:
        site.stop()
    return target


def look(manage: Manage) -> dict:
    ran = manage("shell", "-v", "0", "-c", LOOK)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


def test_everything_comes_back_and_living_goals_wait_for_a_look(saved, folder):
    before = look(Manage(environment(folder / "first")))
    manage = Manage(environment(folder / "second"))
    ran = manage("restore", str(saved))
    assert ran.returncode == 0, ran.stderr
    assert "1 living goals are paused" in ran.stdout
    after = look(manage)
    assert after["broken"] == []
    assert after["events"] == before["events"] + 1
    assert after["blobs"] == [300_000]
    [(active, because)] = after["webhooks"]
    assert not active
    assert "restored from the backup" in because
    status, reason, workspace = after["goals"]["Book me a train"]
    assert status == "paused"
    assert "restored from the backup" in reason
    assert Path(workspace).is_relative_to(folder / "second")
    status, _, workspace = after["goals"]["Write an inventory of the Python modules in this folder"]
    assert (status, workspace) == ("completed", str(folder / "code"))
    again = manage("restore", str(saved))
    assert (again.returncode, "--replace" in again.stderr) == (1, True)
    gone_on = manage("resume_goals", "--all", "--detach")
    assert gone_on.returncode in (0, 2), gone_on.stderr
    assert look(manage)["goals"]["Book me a train"][0] != "paused"


def test_a_file_that_is_not_whole_or_was_changed_is_refused_and_nothing_is_touched(saved, folder, tmp_path):
    whole = saved.read_bytes()
    cut, changed, no_backup = tmp_path / "cut.tar", tmp_path / "changed.tar", tmp_path / "none.tar"
    cut.write_bytes(whole[: len(whole) // 2])
    at = whole.index(b"x" * 100_000)
    changed.write_bytes(whole[:at] + b"y" + whole[at + 1 :])
    no_backup.write_bytes(b"hello")
    for file in (cut, changed, no_backup):
        with pytest.raises(archive.BadArchive):
            archive.verified(file)
    manage = Manage(environment(folder / "first"))
    before = look(manage)
    ran = manage("restore", str(changed), "--replace")
    assert (ran.returncode, "damaged" in ran.stderr) == (1, True)
    assert look(manage) == before


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "workspaces/../../x"])
def test_a_name_that_leads_elsewhere_is_refused(tmp_path, name):
    with tarfile.open(tmp_path / "bad.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo(name))
    with pytest.raises(archive.BadArchive, match="no plain file"):
        archive.verified(tmp_path / "bad.tar")


def test_a_backup_of_a_newer_version_is_refused(saved, folder, tmp_path):
    manifest = archive.verified(saved)
    newer = tmp_path / "newer.tar"
    manifest.migrations.append(["goals", "9999_not_yet"])
    manifest.files = {}
    with archive.Writer(newer, manifest) as writer:
        for name, file in archive.members(saved):
            if name != archive.MANIFEST:
                writer.add(name, file)
    ran = Manage(environment(folder / "third"))("restore", str(newer))
    assert (ran.returncode, "newer version" in ran.stderr) == (1, True)


def test_no_backup_is_written_over_a_file(folder, tmp_path):
    (tmp_path / "there.tar").write_text("mine")
    ran = Manage(environment(folder / "first"))("backup", str(tmp_path / "there.tar"))
    assert ran.returncode == 64
    assert (tmp_path / "there.tar").read_text() == "mine"


@pytest.mark.django_db(transaction=True)
def test_no_blob_is_deleted_from_the_dump_until_all_are_copied(tmp_path, monkeypatch):
    seen = []

    def dump(target: Path) -> None:
        dumped(target)
        with ThreadPoolExecutor(1) as aside:
            seen.append(aside.submit(is_copied).result())

    dumped = postgres_programs.dump
    monkeypatch.setattr(postgres_programs, "dump", dump)
    backup.save(tmp_path / "site.tar")
    assert seen == [True]
    assert not is_copied()


def is_copied() -> bool:
    """Whether whoever deletes blobs is refused now, on a connection of its own."""
    try:
        with taking_away():
            return False
    except BeingCopied:
        return True
    finally:
        connection.close()
