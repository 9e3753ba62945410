"""`manage.py doctor` looks at the real parts: each passes, warns or fails, and says what to do."""

import json
import os
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from goals import policy, services
from goals.models import Breaker, Delivery, Goal, McpServer, ToolRule, Webhook
from goals.states import Risk
from goals.tools import registry
from goals.webhooks import acts
from goalsite import doctor
from goalsite.doctor import database, examination, machine, outside, work
from goalsite.doctor.finding import Level
from goalsite.login_once import operator
from goalsite.models import Canary
from goalsite.watchdog import sing
from sops.embedding import HashingEmbedder
from sops.exceptions import EmbedderUnavailable
from sops.models import Perspective
from tests.goals.commands.processes import Manage, objects
from tests.session import database_url

WELL, WARN, FAIL = Level.WELL, Level.WARN, Level.FAIL
NAMES = {
    *("configuration", "secrets", "permissions", "disk", "database", "pgvector", "migrations", "clock"),
    *("workers", "queue", "breakers", "tools", "webhooks", "mcp", "model", "embedder", "sandbox"),
}


def canary(age: float = 1) -> None:
    Canary.objects.create(number=1, sent_at=timezone.now())
    sing(1)
    Canary.objects.update(run_at=timezone.now() - timedelta(seconds=age))


def found(name: str) -> doctor.finding.Finding:
    ((told, finding),) = examination.examine([name])
    assert told == name
    assert bool(finding.remedy) == (finding.level != WELL)
    return finding


@pytest.fixture
def data_dir(settings, tmp_path, transactional_db):
    settings.GOALSITE_DATA_DIR = tmp_path
    return tmp_path


# -- the whole --------------------------------------------------------------------------------------------------


def test_a_site_in_order_passes_everything(data_dir, endpoint, run_here):
    canary()
    code, out, _ = run_here("doctor", "--json")
    told = {row["check"]: row["level"] for row in objects(out)}
    assert set(told) == NAMES
    assert {name for name, level in told.items() if level != "pass"} <= {"sandbox", "disk"}
    assert code == 0
    _, out, _ = run_here("doctor", "database", "model")
    assert [line.split()[:2] for line in out.splitlines()] == [["pass", "database"], ["pass", "model"], ["2", "pass,"]]


def test_what_fails_ends_with_1_and_its_remedy(data_dir, run_here):
    code, out, _ = run_here("doctor", "workers")
    assert code == 1
    first, remedy, counts = out.splitlines()
    assert first.split() == ["fail", "workers", "no", "worker", "has", "run", "yet"]
    assert remedy.strip() == "Start the site with `manage.py up`, or look at its workers' log."
    assert counts == "0 pass, 0 warn, 1 fail"


def test_an_unknown_check_is_refused_by_name(run_here):
    code, out, error = run_here("doctor", "weather")
    assert (code, out) == (64, "")
    assert "CHECK: there is no 'weather'; there are configuration, secrets" in error


def test_a_check_that_breaks_down_keeps_no_other_from_being_made(data_dir, monkeypatch):
    def broken():
        raise RuntimeError("out of order")

    monkeypatch.setitem(examination.CHECKS, "disk", broken)
    told = dict(examination.examine(["disk", "clock"]))
    assert told["disk"].found == "RuntimeError: out of order"
    assert told["clock"].level == WELL


# -- the database -----------------------------------------------------------------------------------------------


def test_without_a_database_the_rest_is_looked_at_all_the_same(site_environment, tmp_path):
    environment = {**site_environment, "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}
    ran = Manage({**environment, "GOALSITE_DATA_DIR": str(tmp_path)})("doctor", "database", "queue", "disk", "--json")
    told = {row["check"]: row for row in objects(ran.stdout)}
    assert ran.returncode == 1
    assert {name: row["level"] for name, row in told.items()} == {"disk": "pass", "database": "fail", "queue": "fail"}
    assert "correct DATABASE_URL" in told["database"]["remedy"]
    assert told["queue"]["remedy"] == "See what is said of the database."


def test_a_fresh_data_folder_is_told_from_a_broken_one_and_stays_fresh(tmp_path):
    environment = {**os.environ, "DATABASE_URL": "", "GOALSITE_DATA_DIR": str(tmp_path)}
    ran = Manage(environment)("doctor", "database")
    assert ran.returncode == 1
    assert "there is none yet" in ran.stdout
    assert not (tmp_path / "postgres").exists()


def test_an_empty_database_lacks_pgvector_and_tables(site_environment, tmp_path):
    empty = database_url(connection.settings_dict["HOST"], "postgres")
    environment = {**site_environment, "DATABASE_URL": empty, "GOALSITE_DATA_DIR": str(tmp_path)}
    ran = Manage(environment)("doctor", "pgvector", "migrations", "workers", "--json")
    told = {row["check"]: row for row in objects(ran.stdout)}
    assert {row["level"] for row in told.values()} == {"fail"}
    assert told["pgvector"]["remedy"] == "Run `CREATE EXTENSION vector` in the database as a superuser."
    assert "manage.py prepare" in told["migrations"]["remedy"]
    assert 'relation "goalsite_canary" does not exist' in told["workers"]["found"]


def test_an_old_database_fails_and_one_that_is_nearly_full_is_worth_knowing(data_dir, monkeypatch):
    monkeypatch.setattr(database, "NEARLY_FULL", 0)
    assert found("database").level == WARN
    monkeypatch.setattr(database, "OLDEST", 990_000)
    assert (found("database").level, found("database").remedy) == (FAIL, "Use PostgreSQL 99 or later.")


def test_a_database_of_a_newer_site_is_noticed(data_dir):
    assert found("migrations").level == WELL
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('goals', '9999_later', now())")
        try:
            told = found("migrations")
        finally:
            cursor.execute("DELETE FROM django_migrations WHERE name = '9999_later'")
    assert (told.level, told.found) == (WARN, "1 are unknown to this version: goals.9999_later")


@pytest.mark.parametrize(("skew", "level"), [(0.2, WELL), (-1.5, WARN), (1.5, WARN), (10.5, FAIL), (-3600, FAIL)])
def test_clocks_may_differ_by_less_than_a_lease(settings, skew, level):
    settings.GOALSITE_LEASE_SECONDS = 10
    assert database.of_skew(skew).level == level


# -- the work ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("age", "level"), [(1, WELL), (10_000, FAIL)])
def test_workers_are_known_by_their_canary(data_dir, age, level):
    canary(age)
    assert found("workers").level == level


def test_a_goal_that_is_due_and_driven_by_nobody_is_late(data_dir):
    goal = services.submit(owner=operator(), objective="Wait")
    assert found("queue").level == WELL
    Goal.objects.filter(pk=goal.pk).update(wake_at=timezone.now() - timedelta(minutes=2))
    assert found("queue").found == "1 goals are due for over a minute, driven by nobody"
    Goal.objects.filter(pk=goal.pk).update(wake_at=None)
    assert found("queue").level == WELL
    goal.events.update(at=timezone.now() - timedelta(minutes=2))
    assert found("queue").found == "1 goals are due for over a minute, driven by nobody"
    Goal.objects.filter(pk=goal.pk).update(lease_expires_at=timezone.now() + timedelta(minutes=2))
    assert found("queue").level == WELL


def test_many_messages_that_wait_are_worth_knowing(data_dir, monkeypatch):
    from goalsite import queueing

    monkeypatch.setattr(work, "MANY_MESSAGES", 0)
    assert found("queue").level == WELL
    queueing.send("goalsite.watchdog.sing", 1)
    assert found("queue").level == WARN


def test_an_open_breaker_is_worth_knowing(data_dir):
    assert found("breakers").level == WELL
    now = timezone.now()
    Breaker.objects.create(kind="tool", name="far", state="open", opened_at=now, retry_at=now)
    assert found("breakers").level == WARN


def test_webhooks_that_fail_or_have_lost_their_secret_are_told(data_dir, settings, django_user_model):
    assert found("webhooks").level == WELL
    hook, _ = acts.make(django_user_model.objects.create_user("ada"), {"address": "https://example.org/in"})
    assert found("webhooks").level == WELL
    acts.test(hook.owner, hook.pk)
    Delivery.objects.update(due_at=timezone.now() - timedelta(hours=1))
    assert "due for over a minute" in found("webhooks").found
    Webhook.objects.update(active=False, disabled_because="it was refused")
    assert "it was refused" in found("webhooks").found
    Webhook.objects.update(active=True, disabled_because="")
    Delivery.objects.all().delete()
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "k" * 40
    assert "earlier secret key" in found("webhooks").found
    settings.SECRET_KEY_FALLBACKS = []
    assert found("webhooks").level == FAIL


def test_mcp_servers_that_are_silent_or_have_changed_are_told(data_dir):
    assert found("mcp").level == WELL
    server = McpServer.objects.create(name="far", address="http://127.0.0.1:9/mcp")
    assert "is loopback" in found("mcp").found
    assert found("mcp").level == FAIL
    McpServer.objects.update(enabled=False)
    assert found("mcp").found == "there are none"
    server.delete()


# -- what others do ---------------------------------------------------------------------------------------------


def test_each_model_is_asked_for_one_token(data_dir, endpoint, settings):
    settings.GOALSITE_MODELS = {"planner": "large", "worker": "small", "judge": "large", "summariser": "small"}
    told = found("model")
    assert told.level == WELL
    assert [(request["model"], request["body"]["max_tokens"]) for request in endpoint.requests] == [
        ("large", 1),
        ("small", 1),
    ]


def test_a_model_without_a_price_is_worth_knowing(data_dir, endpoint, settings):
    settings.GOALSITE_MODEL_PRICE = None
    settings.GOALSITE_MODELS = {"worker": "nobody-knows-it"}
    told = found("model")
    assert (told.level, "no price is known for nobody-knows-it" in told.found) == (WARN, True)


def test_a_model_that_refuses_us_fails_and_no_key_is_shown(data_dir, endpoint, settings):
    settings.OPENAI_API_KEY = "sk-very-secret"
    endpoint.script["*"] = {"status": 401, "error": {"message": "Incorrect API key: sk-very-secret"}}
    told = found("model")
    assert told.level == FAIL
    assert "sk-very-secret" not in told.found
    assert "OPENAI_API_KEY" in told.remedy


def test_a_model_that_is_not_there_fails(data_dir, settings):
    settings.GOALSITE_REHEARSAL, settings.OPENAI_BASE_URL = False, "http://127.0.0.1:1/v1"
    told = found("model")
    assert told.level == FAIL
    assert told.remedy == "See whether the endpoint is up and OPENAI_BASE_URL is its address."


def test_the_stand_in_is_started_to_be_asked_and_is_told_from_a_model(site_environment, tmp_path):
    ran = Manage({**site_environment, "GOALSITE_DATA_DIR": str(tmp_path)})("doctor", "model")
    assert (ran.returncode, ran.stdout.split()[:2]) == (0, ["warn", "model"])
    assert "a stand-in" in ran.stdout


def test_vectors_of_another_embedder_are_worth_knowing(data_dir):
    call_command("load_sops", verbosity=0)
    assert found("embedder").found == "hashing-1 embeds"
    Perspective.objects.update(embedder="another")
    assert found("embedder").remedy == "Run `manage.py index_sops`."


def test_an_embedder_that_fails_shows_no_key(data_dir, settings, monkeypatch):
    settings.OPENAI_API_KEY = "sk-very-secret"
    monkeypatch.setattr(HashingEmbedder, "embed", fails)
    told = found("embedder")
    assert (told.level, told.found) == (FAIL, "Incorrect API key: ***")


def fails(embedder, texts):
    raise EmbedderUnavailable("Incorrect API key: sk-very-secret")


def test_a_command_is_really_isolated():
    assert outside.sandbox().level in {WELL, WARN}


@pytest.mark.parametrize(
    ("isolation", "code", "level"),
    [
        ("bubblewrap limits", 0, WELL),
        ("limits no-network own-processes landlock", 0, WARN),
        ("limits landlock", 0, FAIL),
        ("bubblewrap limits", 1, FAIL),
        ("bubblewrap limits", None, FAIL),
    ],
)
def test_isolation_is_judged_by_what_took_hold(isolation, code, level):
    assert outside.of_isolation(isolation, code).level == level


# -- the machine ------------------------------------------------------------------------------------------------

GIB = 1 << 30


@pytest.mark.parametrize(
    ("free", "total", "level"),
    [
        (100 * GIB, 200 * GIB, WELL),
        (6 * GIB, 2000 * GIB, WELL),
        (3 * GIB, 100 * GIB, WARN),
        (GIB // 2, 100 * GIB, FAIL),
        (GIB // 2, 2 * GIB, WELL),
    ],
)
def test_room_is_judged_by_bytes_and_by_share(free, total, level):
    assert machine.of_room(free, total).level == level


def test_a_key_that_others_can_read_fails(data_dir):
    file = data_dir / "secret_key"
    file.write_text("x" * 50)
    file.chmod(0o644)
    assert (found("secrets").level, str(file) in found("secrets").remedy) == (FAIL, True)
    file.chmod(0o600)
    assert found("secrets").level == WELL


def test_a_key_that_travels_unencrypted_is_worth_knowing(data_dir, settings):
    settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "sk-1", "http://models.example.org/v1"
    assert found("secrets").level == WARN
    settings.OPENAI_BASE_URL = "http://127.0.0.1:8080/v1"
    assert found("secrets").level == WELL


def test_debug_pages_are_worth_knowing(data_dir, settings):
    settings.DEBUG = True
    assert found("secrets").level == WARN


def test_a_folder_that_cannot_be_written_fails(data_dir):
    assert found("permissions").level == WELL
    (data_dir / "workspaces").write_text("no folder")
    told = found("permissions")
    assert (told.level, "Not a directory" in told.found) == (FAIL, True)


def test_a_folder_that_goals_shall_read_and_cannot_fails(data_dir, settings):
    settings.GOALSITE_READ_ROOTS = [data_dir, data_dir / "gone"]
    told = found("permissions")
    assert (told.level, f"{data_dir / 'gone'} cannot be read" in told.found) == (FAIL, True)


def test_a_data_folder_for_everybody_is_worth_knowing(data_dir):
    data_dir.chmod(0o777)
    assert found("permissions").remedy == "Run `chmod o-w` on it."


def test_a_setting_that_the_system_checks_refuse_fails(data_dir, settings):
    settings.GOALSITE_SLICE_SECONDS = 500
    told = found("configuration")
    assert (told.level, told.found.split(":")[0]) == (FAIL, "goalsite.E003")
    assert json.dumps(told.remedy).startswith('"Set GOALSITE_SLICE_SECONDS below')


def test_a_rule_that_speaks_of_nothing_or_lets_danger_through_is_worth_knowing(data_dir, monkeypatch):
    lost = ToolRule.objects.create(tool="no_such_tool", permission="deny")
    policy.rules.forget()
    told = found("tools")
    assert (told.level, "rules for unknown tools: no_such_tool" in told.found) == (WARN, True)
    lost.delete()
    monkeypatch.setattr(registry.get("write_file"), "risk", Risk.DANGEROUS)
    ToolRule.objects.create(risk="dangerous", permission="auto")
    policy.rules.forget()
    told = found("tools")
    assert (told.level, "dangerous: write_file" in told.found) == (WARN, True)
    policy.rules.forget()
