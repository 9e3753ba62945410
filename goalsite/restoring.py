"""Bringing a backup back: checked before anything is touched, and with its goals held until a person has looked.

What a goal did outside after the backup was made is not in it. So every goal that lives is paused with that reason:
going on by itself it would do things twice.
"""

import tempfile
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path, PurePosixPath

from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from artifacts import storage
from goals.decisions import Move
from goals.models import Goal
from goals.models.goal import LIVE
from goals.states import GoalStatus, Kind, PauseReason
from goals.transitions import writing
from goals.webhooks import ending
from goalsite import places, postgres_programs, readiness
from goalsite.archive import BLOBS, DUMP, WORKSPACES, BadArchive, Manifest, chunks, members, verified
from goalsite.locks import FileLock, Taken
from goalsite.models import Canary
from goalsite.site_errors import SiteError

RECENT = timedelta(seconds=90)
OURS = """SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p')"""
FUNCTIONS = """SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = current_schema() AND p.prokind = 'f'
AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')"""
MOVED = "UPDATE goals_goal SET workspace = %s || substr(workspace, %s) WHERE starts_with(workspace, %s)"


class NotRestored(SiteError):
    """Nothing was changed; the message says why and what to do."""


@dataclass(frozen=True)
class Restored:
    """What came back, and how many goals were paused."""

    made_at: str
    blobs: int
    files: int
    paused: int


def restore(source: Path, *, replace: bool = False, go_on: bool = False) -> Restored:
    """Bring a backup back into this site's database and data folder. Raises NotRestored before anything is changed."""
    try:
        manifest = verified(source)
    except (BadArchive, OSError) as error:
        raise NotRestored(str(error)) from None
    _refuse_newer(manifest)
    lock = _alone()
    try:
        _refuse_used(replace)
        blobs, files = _bring_back(source)
        readiness.prepare()
    finally:
        lock.free()
    _move_workspaces(manifest)
    paused = 0 if go_on else _hold(manifest.made_at)
    return Restored(manifest.made_at, blobs, files, paused)


def _refuse_newer(manifest: Manifest) -> None:
    known = MigrationLoader(None).graph.nodes
    ours = {app for app, _ in known}  # a library that we have left behind is no reason
    if missing := [f"{app}.{name}" for app, name in manifest.migrations if app in ours and (app, name) not in known]:
        raise NotRestored(
            f"The backup was made by a newer version of Goalsite (this one has no {missing[0]}): "
            "restore it with that version."
        )


def _alone() -> FileLock:
    """Hold the lock of `up`: nobody else runs this data folder."""
    settings.GOALSITE_DATA_DIR.mkdir(parents=True, exist_ok=True)
    try:
        return FileLock(places.up_lock(settings.GOALSITE_DATA_DIR)).take(wait=False)
    except Taken:
        raise NotRestored("The site runs on this data folder: stop it first.") from None


def _refuse_used(replace: bool) -> None:
    with connection.cursor() as cursor:
        cursor.execute(OURS)
        tables = {name for (name,) in cursor.fetchall()}
    ours = {*connection.introspection.django_table_names(), "django_migrations"}
    if foreign := sorted(tables - ours):
        raise NotRestored(f"The database holds tables that are not Goalsite's, such as {foreign[0]}: give it its own.")
    if Canary._meta.db_table in tables:
        canary = Canary.objects.filter(id=Canary.ONLY).first()
        if canary is not None and canary.run_at is not None and canary.run_at > timezone.now() - RECENT:
            raise NotRestored("Workers ran on this database a moment ago: stop them, and try again in two minutes.")
    if Goal._meta.db_table in tables and Goal.objects.exists() and not replace:
        raise NotRestored("The database holds goals: give `--replace` to lose them, or restore into an empty site.")


def _bring_back(source: Path) -> tuple[int, int]:
    """Blobs first, which disturb nobody; then the database, whole or not at all; then what goals were working on."""
    data_dir: Path = settings.GOALSITE_DATA_DIR
    blobs = files = 0
    with tempfile.TemporaryDirectory(dir=data_dir, prefix=".restore-") as folder:
        dumped = Path(folder) / DUMP
        for name, file in members(source):
            if name == DUMP:
                with dumped.open("wb") as copy:
                    copy.writelines(chunks(file))
            elif name.startswith(f"{BLOBS}/"):
                storage.write(file.read())
                blobs += 1
        _empty()
        postgres_programs.restore(dumped)
    for name, file in members(source):
        if name.startswith(f"{WORKSPACES}/"):
            with place_of(name).open("wb") as copy:
                copy.writelines(chunks(file))
            files += 1
    return blobs, files


def place_of(name: str) -> Path:
    """Make room for a workspace's file. A link that lies in its way leads wherever a goal wished, and is taken away."""
    place: Path = settings.GOALSITE_DATA_DIR / WORKSPACES
    for part in PurePosixPath(name).parts[1:]:
        place.mkdir(parents=True, exist_ok=True)
        place /= part
        if place.is_symlink():
            place.unlink()
    return place


def _empty() -> None:
    """Drop every table and every function of ours; what an extension brought stays."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(OURS)
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP TABLE IF EXISTS {connection.ops.quote_name(name)} CASCADE")
        cursor.execute(FUNCTIONS)
        for (signature,) in cursor.fetchall():
            cursor.execute(f"DROP FUNCTION IF EXISTS {signature} CASCADE")


def _move_workspaces(manifest: Manifest) -> None:
    """The site's own workspaces lie below the data folder, wherever that is now."""
    before, now = f"{manifest.data_dir}/", f"{settings.GOALSITE_DATA_DIR}/"
    with connection.cursor() as cursor:
        cursor.execute(MOVED, [now, len(before) + 1, before])


def _hold(made_at: str) -> int:
    """Pause every goal that lives, and let webhooks rest; returns how many goals there were."""
    reason = (
        f"restored from the backup of {made_at}: what this goal did after that is not known here. "
        "Look at what happened outside, then resume or cancel it."
    )
    ending.hold_all(f"restored from the backup of {made_at}; activate it if this site is to tell of goals")
    living = list(Goal.objects.filter(status__in=LIVE).values_list("pk", flat=True))
    for goal_id in living:
        with writing(goal_id) as writer:
            facts = {"paused_for": PauseReason.ERROR, "reason": reason}
            payload = {"for": PauseReason.ERROR.value, "reason": reason}
            status = writer.goal.status
            writer.move(Move(Kind.GOAL, goal_id, status, GoalStatus.PAUSED, facts, "goal.paused", payload))
    return len(living)
