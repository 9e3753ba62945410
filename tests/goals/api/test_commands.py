"""The operator's commands: tokens, budgets, and letting goals go on."""

import json
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from rest_framework.test import APIClient

from goals import services
from goals.models import ApiToken, Budget, Goal

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def site(settings, tmp_path, transactional_db):
    settings.GOALSITE_DATA_DIR = tmp_path
    return User.objects.create_superuser("root")


@pytest.fixture
def goal(site):
    return services.submit(owner=User.objects.create_user("ada"), objective="Count\nto ten")


def run(*words):
    """Return the exit code, and what was written on standard output and on standard error."""
    out, err = StringIO(), StringIO()
    try:
        call_command(*words, stdout=out, stderr=err)
    except SystemExit as end:
        return end.code, out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_a_new_token_is_printed_and_the_old_one_ends(goal):
    _, first, _ = run("api_token", "ada")
    code, second, _ = run("api_token", "ada")
    assert (code, ApiToken.objects.living().count()) == (0, 1)
    assert first != second

    def answer(key):
        return APIClient().get("/api/goals/", HTTP_AUTHORIZATION=f"Token {key.strip()}").status_code

    assert (answer(first), answer(second)) == (401, 200)


@pytest.mark.parametrize("name", ["nobody", "", "a\0b"])
def test_a_token_for_nobody_is_refused(name):
    code, out, err = run("api_token", name)
    assert (code, out) == (64, "")
    assert "username" in err


def test_a_token_for_who_may_not_log_in_is_refused(goal):
    User.objects.filter(username="ada").update(is_active=False)
    assert run("api_token", "ada")[0] == 64


def test_budgets_are_shown_and_set(goal):
    Budget.objects.filter(resource="tokens").update(used=7, reserved=3)
    code, out, _ = run("budgets", str(goal.pk), "--set", "cost_usd=10", "--set", "seconds=none", "--json")
    told = json.loads(out)
    assert (code, told["goal"], told["status"]) == (0, str(goal.pk), "planning")
    assert told["budget"]["cost_usd"] == {"limit": 10.0, "used": 0.0, "reserved": 0.0}
    assert told["budget"]["seconds"]["limit"] is None
    assert told["budget"]["tokens"] == {"limit": None, "used": 7.0, "reserved": 3.0}
    assert "7 (+3) / no limit" in run("budgets")[1]
    assert goal.events.last().kind == "goal.limits_changed"


def test_only_unfinished_goals_are_listed(goal):
    services.cancel(goal.owner, goal.pk)
    assert run("budgets", "--json")[1] == ""
    assert run("budgets", str(goal.pk), "--json")[1] != ""


@pytest.mark.parametrize(
    ("words", "code", "field"),
    [
        (["nonsense"], 1, "nonsense"),
        (["--set", "tokens=5"], 64, "ID"),
        (["{goal}", "--set", "tokens"], 64, "--set"),
        (["{goal}", "--set", "tokens=0"], 64, "limits.tokens"),
        (["{goal}", "--set", "tokens=NaN"], 64, "limits.tokens"),
        (["{goal}", "--set", "euros=5"], 64, "limits.euros"),
        (["{goal}", "--set", "tokens=5", "--set", "tokens=6"], 64, "tokens"),
    ],
)
def test_budgets_refuses_by_name_and_changes_nothing(goal, words, code, field):
    before = list(Budget.objects.values())
    ended, out, err = run("budgets", *(word.format(goal=goal.pk) for word in words))
    assert (ended, out) == (code, "")
    assert field in err
    assert list(Budget.objects.values()) == before


def test_a_paused_goal_goes_on_with_a_higher_limit(goal):
    services.pause(goal.owner, goal.pk)
    code, out, _ = run("resume_goals", str(goal.pk), "--raise", "cost_usd=+5", "--detach")
    assert code == 0
    assert f"{goal.pk} goes on: Count to ten" in out
    assert Goal.objects.get().status == "planning"
    assert Budget.objects.get(resource="cost_usd").limit == 10


def test_all_means_every_paused_goal(goal):
    services.pause(goal.owner, goal.pk)
    other = services.submit(owner=goal.owner, objective="Not paused")
    _, out, _ = run("resume_goals", "--all", "--detach")
    assert str(goal.pk) in out
    assert str(other.pk) not in out


def test_all_with_nothing_paused_is_done(site):
    assert run("resume_goals", "--all") == (0, "0 go on: no paused goal is meant\n", "")


def test_either_all_go_on_or_none(goal):
    services.pause(goal.owner, goal.pk)
    ended = services.submit(owner=goal.owner, objective="Over")
    services.cancel(goal.owner, ended.pk)
    code, out, err = run("resume_goals", str(goal.pk), str(ended.pk), "--raise", "tokens=5000")
    assert (code, out) == (1, "")
    assert "cancelled" in err
    assert Goal.objects.get(pk=goal.pk).status == "paused"
    assert Budget.objects.get(goal=goal, resource="tokens").limit is None


@pytest.mark.parametrize("words", [[], ["--all", "some-id"]])
def test_it_must_be_said_which_goals(words):
    code, _, err = run("resume_goals", *words)
    assert code == 64
    assert "--all" in err


def test_goals_are_driven_here_until_they_rest(goal):
    """An interrupted goal is still live: it just goes on. Its verifier is met already, so no model is asked."""
    spec = {"type": "artifact", "name": "never", "exists": False}
    met = services.submit(owner=goal.owner, objective="Nothing to do", verifier=spec)
    code, out, _ = run("resume_goals", str(met.pk))
    assert code == 0
    assert f"{met.pk} completed (achieved)" in out
