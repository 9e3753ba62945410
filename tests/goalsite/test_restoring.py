"""What a restore refuses before it touches anything, and where it writes; how a whole site comes back: test_backup."""

import io
import tarfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from goals import services
from goalsite import archive, places, restoring
from goalsite.locks import FileLock
from goalsite.models import Canary


@pytest.fixture(autouse=True)
def data_dir(settings, tmp_path):
    settings.GOALSITE_DATA_DIR = tmp_path / "data"
    settings.GOALSITE_DATA_DIR.mkdir()
    return settings.GOALSITE_DATA_DIR


def saved(target, *, manifest=None, names=(archive.DUMP,), of=Path(__file__)):
    """Write a backup with these members, each a copy of one file."""
    with archive.Writer(target, manifest or archive.Manifest("2026-11-01", "/data", [])) as writer:
        for name in names:
            with of.open("rb") as file:
                writer.add(name, file)
    return target


@pytest.fixture
def refusal(tmp_path, monkeypatch):
    """Return why a backup is not restored."""

    def ask(**how):
        with pytest.raises(restoring.NotRestored) as refused:
            restoring.restore(saved(tmp_path / "site.tar"), **how)
        return str(refused.value)

    monkeypatch.setattr(restoring, "_bring_back", lambda source: pytest.fail("the database is touched"))
    return ask


class TestADatabaseIsLeftAlone:
    pytestmark = pytest.mark.django_db

    def test_while_the_site_runs_on_the_data_folder(self, refusal, data_dir):
        with FileLock(places.up_lock(data_dir)).take():
            assert "stop it first" in refusal(replace=True)

    def test_in_which_workers_ran_a_moment_ago(self, refusal):
        now = timezone.now()
        Canary.objects.create(sent_at=now, run_at=now - timedelta(seconds=60))
        assert "Workers ran on this database" in refusal(replace=True)

    def test_that_holds_goals_which_nobody_said_may_be_lost(self, refusal, django_user_model):
        services.submit(owner=django_user_model.objects.create_user("ada"), objective="Count to ten")
        assert "--replace" in refusal()

    def test_that_others_use_as_well(self, refusal):
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE of_strangers (id int)")
        assert "such as of_strangers" in refusal(replace=True)


class TestNoBackupIs:
    def test_a_file_of_another_format(self, tmp_path):
        manifest = archive.Manifest("2026-11-01", "/data", [], format=archive.FORMAT + 1)
        with pytest.raises(archive.BadArchive, match="has format 2"):
            archive.verified(saved(tmp_path / "site.tar", manifest=manifest))

    def test_a_file_without_a_database(self, tmp_path):
        with pytest.raises(archive.BadArchive, match="holds no database"):
            archive.verified(saved(tmp_path / "site.tar", names=("artifacts/aa/bb",)))

    def test_a_file_without_its_list(self, tmp_path):
        with tarfile.open(tmp_path / "site.tar", "w") as tar:
            tar.addfile(tarfile.TarInfo(archive.DUMP))
        with pytest.raises(archive.BadArchive, match="its list of contents is missing"):
            archive.verified(tmp_path / "site.tar")

    @pytest.mark.parametrize("said", ["null", "[]", '{"format": 1, "files": []}', '{"format": 1}', "{"])
    def test_a_file_whose_list_says_something_else(self, tmp_path, said):
        entry = tarfile.TarInfo(archive.MANIFEST)
        entry.size = len(said)
        with tarfile.open(tmp_path / "site.tar", "w") as tar:
            tar.addfile(entry, io.BytesIO(said.encode()))
        with pytest.raises(archive.BadArchive):
            archive.verified(tmp_path / "site.tar")

    @pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
    def test_a_file_with_a_member_that_is_no_plain_file(self, tmp_path, kind):
        entry = tarfile.TarInfo("workspaces/out")
        entry.type, entry.linkname = kind, "/etc/passwd"
        with tarfile.open(tmp_path / "site.tar", "w") as tar:
            tar.addfile(entry)
        with pytest.raises(archive.BadArchive, match="no plain file"):
            archive.verified(tmp_path / "site.tar")


def test_a_backup_is_its_owners_alone(tmp_path):
    assert saved(tmp_path / "site.tar").stat().st_mode & 0o077 == 0


def test_a_backup_that_breaks_off_leaves_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        saved(tmp_path / "site.tar", of=tmp_path / "gone")
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_link_that_a_goal_has_left_leads_no_file_out_of_its_workspace(data_dir, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "profile").write_text("mine")
    work = data_dir / "workspaces" / "one"
    work.mkdir(parents=True)
    (work / "file").symlink_to(outside / "profile")
    (work / "folder").symlink_to(outside)
    for name in ("workspaces/one/file", "workspaces/one/folder/profile", "workspaces/two/deep/file"):
        restoring.place_of(name).write_text("theirs")
        assert (data_dir / name).read_text() == "theirs"
    assert (outside / "profile").read_text() == "mine"


def test_the_folder_of_all_workspaces_may_lie_on_another_disk(data_dir, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    (data_dir / "workspaces").symlink_to(disk)
    restoring.place_of("workspaces/one/file").write_text("theirs")
    assert (disk / "one" / "file").read_text() == "theirs"
