"""`/metrics`: what it tells, to whom, and at what cost."""

import json
import re
import threading
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.db import InterfaceError, OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from goals import lease, services, spending, tally
from goals.measures import measures
from goals.models import Goal, ModelCall, Spend, Tally, ToolCall
from goalsite.children import BASE_DIR

FIGURE = re.compile(r"goalsite_[a-z_]+")
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def from_nothing(transactional_db):
    tally.flush()
    Tally.objects.all().delete()


def figures(client, **headers) -> dict[str, float]:
    """What is told, by name and labels."""
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.content
    samples = (s for family in text_string_to_metric_families(answer.content.decode()) for s in family.samples)
    return {s.name + "".join(f",{k}={v}" for k, v in sorted(s.labels.items())): s.value for s in samples}


def total(told: dict[str, float], beginning: str) -> float:
    return sum(value for key, value in told.items() if key.startswith(beginning))


def test_a_goal_that_ran_is_in_the_figures(client, endpoint, submit, settle):
    settle(submit("Say hello"))
    told = figures(client)
    asked = ModelCall.objects.count()
    assert total(told, "goalsite_effects_total,kind=model") == asked > 0
    assert total(told, "goalsite_effects_total,kind=tool") == ToolCall.objects.count() > 0
    assert told["goalsite_effect_seconds_count,kind=model"] == asked
    assert told["goalsite_effect_seconds_bucket,kind=model,le=+Inf"] == asked
    assert total(told, "goalsite_goals_ended_total") == 1
    assert total(told, "goalsite_tokens_total") > 0
    assert total(told, "goalsite_spent_usd_total") == pytest.approx(
        float(sum(c.cost_usd for c in ModelCall.objects.all()))
    )
    assert told["goalsite_events_total,kind=goal.created"] == 1
    assert told["goalsite_goals,status=active"] == 0


@pytest.mark.parametrize("words", [["budgets", "--all", "--set", "cost_usd=9"], ["goals", "steer", "--all", "Hurry"]])
def test_what_a_command_did_is_in_the_figures_when_it_has_ended(owner, submit, words):
    submit("Say hello")
    tally.flush()
    told = Tally.objects.count()
    with suppress(SystemExit):
        call_command(*words)
    assert Tally.objects.count() == told + 1


def test_what_was_tried_and_taken_back_is_in_no_figure_and_no_log(client, owner, caplog):
    goal = services.submit(owner=owner, objective="Stay")
    caplog.set_level("INFO", "goals.history")
    with pytest.raises(SystemExit):
        call_command("goals", "cancel", str(goal.pk), "--dry-run")
    assert figures(client)["goalsite_events_total,kind=goal.created"] == 1
    assert not [name for name in figures(client) if "cancelled" in name and "events" in name]
    assert "goal.cancelled" not in caplog.text
    services.cancel(owner, goal.pk)
    assert figures(client)["goalsite_events_total,kind=goal.cancelled"] == 1
    assert "goal.cancelled" in caplog.text


def test_what_stands_is_counted(client, owner):
    services.submit(owner=owner, objective="Wait here")
    told = figures(client)
    assert told["goalsite_goals,status=planning"] == 1
    assert told["goalsite_goals_runnable"] == 1
    assert told["goalsite_goals_driven"] == 0


def test_runnable_is_what_a_worker_would_claim(owner):
    now = timezone.now()
    submitted = [services.submit(owner=owner, objective=f"Goal {number}") for number in range(6)]
    for goal, facts in zip(
        submitted,
        (
            {},
            {"wake_at": now - timedelta(seconds=1)},
            {"wake_at": now + timedelta(hours=1)},
            {"lease_expires_at": now + timedelta(hours=1)},
            {"lease_expires_at": now - timedelta(seconds=1)},
            {"lease_expires_at": now + timedelta(hours=1), "wake_at": now - timedelta(seconds=1)},
        ),
        strict=True,
    ):
        Goal.objects.filter(pk=goal.pk).update(**facts)
    counted = set(Goal.objects.runnable().values_list("pk", flat=True))
    assert counted == {found.goal_id for found in lease.claim(10)}
    assert len(counted) == 3


def test_the_cost_does_not_grow_with_the_goals(client, owner):
    figures(client)
    with CaptureQueriesContext(connection) as few:
        figures(client)
    for number in range(10):
        services.submit(owner=owner, objective=f"Goal {number}")
    figures(client)
    with CaptureQueriesContext(connection) as many:
        figures(client)
    assert len(many) == len(few)


def test_many_processes_add_up(client):
    def add():
        for _ in range(50):
            tally.count("leases_lost")
        tally.flush()

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert figures(client)["goalsite_leases_lost_total"] == 200


@pytest.mark.parametrize("kind", [OperationalError, InterfaceError])
def test_figures_outlast_a_database_that_is_away(client, owner, monkeypatch, kind):
    tally.count("leases_lost")
    spending.count(owner.pk, "m", usd=Decimal("0.1"), tokens=1, at=timezone.now())

    def away(*_):
        raise kind("the server closed the connection")

    with monkeypatch.context() as patched:
        patched.setattr(tally, "execute", away)
        patched.setattr(spending, "execute", away)
        tally.flush()
    assert figures(client)["goalsite_leases_lost_total"] == 1
    assert Spend.objects.get().usd == Decimal("0.1")


def test_strangers_are_told_nothing(client, django_user_model, settings):
    assert client.get("/metrics", REMOTE_ADDR="203.0.113.9").status_code == 403
    nothing = {"Authorization": "Bearer "}  # is no token, also where none is set
    assert client.get("/metrics", REMOTE_ADDR="203.0.113.9", headers=nothing).status_code == 403
    client.force_login(django_user_model.objects.create_user("eve"))
    assert client.get("/metrics", REMOTE_ADDR="203.0.113.9").status_code == 403
    client.force_login(django_user_model.objects.create_superuser("root"))
    assert client.get("/metrics", REMOTE_ADDR="203.0.113.9").status_code == 200


def test_with_a_token_only_who_brings_it_is_told(client, settings):
    settings.GOALSITE_METRICS_TOKEN = "a-token-of-some-length"
    assert client.get("/metrics").status_code == 403
    assert client.get("/metrics", headers={"Authorization": "Bearer another"}).status_code == 403
    assert client.get("/metrics", headers={"Authorization": "Bearer a-token-of-some-length"}).status_code == 200


def test_the_dashboard_asks_for_figures_that_are_told(client):
    dashboard = json.loads((BASE_DIR / "goalsite" / "deploy" / "grafana.json").read_text())
    asked = {name for panel in dashboard["panels"] for t in panel["targets"] for name in FIGURE.findall(t["expr"])}
    families = text_string_to_metric_families(client.get("/metrics").content.decode())
    told = {family.name for family in families}
    assert len(asked) > 10
    assert {name.removesuffix("_total").removesuffix("_bucket") for name in asked} <= told


def test_an_observation_falls_into_the_first_bucket_that_holds_it():
    payload = {"tool": "x", "status": "succeeded", "seconds": 0.25}
    assert ("effect_seconds_bucket", (("kind", "tool"), ("le", "0.25")), 1.0) in list(measures("tool.called", payload))
    payload["seconds"] = 1000
    assert ("effect_seconds_bucket", (("kind", "tool"), ("le", "+Inf")), 1.0) in list(measures("tool.called", payload))
