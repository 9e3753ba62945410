"""The way up from the previous release: its database, with goals in every state, is migrated, and goals go on."""

import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection
from django.db.models import Sum
from django.utils import timezone

from goals import answers, services
from goals.models import Event, Goal, Question, Spend
from goalsite import readiness
from goalsite.children import BASE_DIR
from tests.goals import rules
from tests.goalsite.processes import eventually
from tests.goalsite.upgrade.script import SCRIPT
from tests.session import database_url

RELEASE = "goals_0022"  # rows that the release itself wrote, by `make.py`
STATE = {
    "artifacts": "0003_untrusted",
    "sops": "0001_procedures",
    "goals": "0022_one_index_a_need",
    "goalsite": "0001_initial",
}
TIMES = {"goals_goal": ("wake_at", "plan_wake_at", "lease_expires_at"), "goals_subgoal": ("wake_at",)}
WAS = {
    "Be planned later": "planning",
    "Be killed: it must be killed": "active",
    "Please ask for a name": "waiting",
    "Show the plan first": "waiting",
    "Now sleep a while": "waiting",
    "Watch the file": "waiting",
    "Rest after the first step": "paused",
    "Run out of calls": "paused",
    "Be done": "completed",
    "It will never be met": "failed",
    "Be cancelled": "cancelled",
}
ENDED = {"completed", "failed", "cancelled"}
pytestmark = [pytest.mark.drill, pytest.mark.django_db(transaction=True)]


@contextmanager
def another_database(name: str) -> Iterator[None]:
    """Work on a database of that name beside the tests' own."""
    ours = connection.settings_dict["NAME"]
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    _turn_to(name)
    try:
        yield
    finally:
        _turn_to(ours)
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _turn_to(name: str) -> None:
    connection.close()
    connection.close_pool()
    connection.settings_dict["NAME"] = name


def as_of_the_release(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Migrate as far as the release did, and put its rows in; returns them."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION vector")
    for app, target in STATE.items():
        call_command("migrate", app, target, verbosity=0)
    text = gzip.decompress((Path(__file__).parent / f"{RELEASE}.json.gz").read_bytes()).decode()
    rows = json.loads(text.replace("{DATA}", str(folder)))
    now = timezone.now().isoformat()
    for table, names in TIMES.items():  # what was due then is due now, whatever this machine's date is
        rows[table] = [{**row, **{name: row[name] and now for name in names}} for row in rows[table]]
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # rows refer to each other, and are right as they are
        for table, found in rows.items():
            cursor.execute(
                f"INSERT INTO {table} SELECT * FROM jsonb_populate_recordset(NULL::{table}, %s)", [json.dumps(found)]
            )
        cursor.execute("SET session_replication_role = origin")
        cursor.execute("SELECT setval('auth_user_id_seq', 100)")
    return rows


@contextmanager
def a_worker(folder: Path, model: str) -> Iterator[None]:
    environment = {
        **os.environ, "DJANGO_SETTINGS_MODULE": "goalsite.settings", "GOALSITE_DATA_DIR": str(folder),
        "DATABASE_URL": database_url(connection.settings_dict["HOST"], connection.settings_dict["NAME"]),
        "OPENAI_BASE_URL": model, "OPENAI_API_KEY": "test", "GOALSITE_MODEL_PRICE": "1/2",
        "GOALSITE_LEASE_SECONDS": "2",
    }  # fmt: skip
    command = [sys.executable, "-m", "goalsite.workers"]
    process = subprocess.Popen(command, cwd=BASE_DIR, env=environment, start_new_session=True)
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)


def statuses() -> dict[str, str]:
    return dict(Goal.objects.values_list("objective", "status"))


def test_goals_in_every_state_survive_the_upgrade_and_what_lives_is_finished_by_a_worker(endpoint, tmp_path):
    endpoint.play(SCRIPT)
    with another_database("from_the_previous_release"):
        rows = as_of_the_release(tmp_path)
        assert {row["objective"]: row["status"] for row in rows["goals_goal"]} == WAS
        readiness.prepare()
        assert statuses() == WAS, "migrating moves nothing"
        rules.hold()
        spent = [
            (row["cost_usd"], row["input_tokens"] + row["output_tokens"])
            for row in rows["goals_modelcall"]
            if row["finished_at"]
        ]
        kept = Spend.objects.aggregate(usd=Sum("usd"), tokens=Sum("tokens"), calls=Sum("calls"))
        assert kept["usd"] == sum(Decimal(str(usd)) for usd, _ in spent)
        assert (kept["calls"], kept["tokens"]) == (len(spent), sum(tokens for _, tokens in spent))

        owner = get_user_model().objects.get(username="ada")
        for question in Question.objects.open():
            answers.answer(owner, question.pk, "yes" if question.is_plan else "Ada", channel="api")
        for goal in Goal.objects.filter(status="paused"):
            services.raise_limits(owner, goal.pk, {"model_calls": 100})
            services.resume(owner, goal.pk)
        watched = Path(Goal.objects.get(objective="Watch the file").workspace)
        watched.mkdir(parents=True)
        (watched / "done.txt").write_text("yes")
        with a_worker(tmp_path, endpoint.url):
            eventually(lambda: set(statuses().values()) <= ENDED, 90, "all that lived has ended")

        was = {name for name, status in WAS.items() if status in ENDED - {"completed"}}
        assert {name for name, status in statuses().items() if status != "completed"} == was
        rules.hold()
        before = {(row["goal_id"], row["seq"], row["digest"]) for row in rows["goals_event"]}
        after = {(str(goal), seq, digest) for goal, seq, digest in Event.objects.values_list("goal", "seq", "digest")}
        assert before < after, "no event of before was touched"
