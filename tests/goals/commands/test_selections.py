"""`budgets` and `resume_goals` take selections, tell tables or JSON, can be tried, and raise nothing twice."""

import pytest

from goals import services
from goals.management import selecting
from goals.models import Budget, Event, Goal, Question
from tests.goals.commands.bakery import *  # noqa: F403
from tests.goals.commands.processes import objects


def limits(resource="cost_usd"):
    return {row.goal_id: row.limit for row in Budget.objects.filter(resource=resource)}


def everything():
    return [*Goal.objects.order_by("pk").values(), *Budget.objects.order_by("pk").values(), Event.objects.count()]


@pytest.fixture
def family(ada):
    """A paused goal and its paused fork, which draws on the same budget."""
    root = services.submit(owner=ada, objective="Root")
    fork = services.fork(ada, root.pk)
    for goal in (root, fork):
        services.pause(ada, goal.pk)
    return root, fork


@pytest.mark.parametrize("words", [["--all"], ["{root}", "{fork}"], ["{fork}", "{root}"]])
def test_a_shared_budget_is_raised_once(run_here, family, words):
    root, fork = family
    words = [word.format(root=root.pk, fork=fork.pk) for word in words]
    assert run_here("resume_goals", *words, "--raise", "cost_usd=+5", "--detach")[0] == 0
    assert limits() == {root.pk: 10}
    assert Event.objects.filter(kind="goal.limits_changed").count() == 1
    assert {goal.status for goal in Goal.objects.all()} == {"planning"}


def test_budgets_of_a_family_are_set_once(run_here, family):
    assert run_here("budgets", "--all", "--set", "cost_usd=+5")[0] == 0
    assert limits() == {family[0].pk: 10}


def test_budgets_are_a_table_of_unfinished_goals_latest_first(run_here, many):
    _, out, _ = run_here("budgets")
    head, *lines = out.splitlines()
    assert head.split() == ["ID", "STATE", "MODEL_CALLS", "TOKENS", "COST_USD", "SECONDS", "OBJECTIVE"]
    assert [line.split()[0] for line in lines] == [str(many[1].pk), str(many[0].pk)]
    assert "0 / 200      0 / no limit  0 / 5     0 / 7200  Goal of bob" in lines[0]


@pytest.mark.parametrize(
    ("words", "found"),
    [(["--owner", "bob"], [1]), (["--state", "cancelled"], [2]), (["--reason", "oven"], [1]), (["--older", "1d"], [])],
)
def test_budgets_are_selected(run_here, many, words, found):
    told = objects(run_here("budgets", *words, "--json")[1])
    assert [row["goal"] for row in told] == [str(many[number].pk) for number in found]


def test_limits_of_a_selection_are_set_all_or_none(run_here, many):
    Budget.objects.filter(goal=many[0], resource="cost_usd").update(used=4)
    before = everything()
    code, out, error = run_here("budgets", "--all", "--set", "cost_usd=3")
    assert (code, out) == (64, "")
    assert "limits.cost_usd: 4 are used or reserved already" in error
    assert everything() == before
    assert run_here("budgets", "--owner", "bob", "--set", "cost_usd=3")[0] == 0
    assert [limits()[goal.pk] for goal in many] == [5, 3, 5]


def test_setting_budgets_can_be_tried(run_here, many):
    before = everything()
    _, out, _ = run_here("budgets", "--all", "--set", "cost_usd=+5", "--dry-run")
    assert "0 / 10" in out
    assert out.splitlines()[-1] == "nothing was changed"
    assert everything() == before


def test_what_has_no_limit_cannot_be_raised(run_here, many):
    before = everything()
    code, _, error = run_here("resume_goals", "--all", "--raise", "tokens=+5", "--detach")
    assert (code, everything()) == (64, before)
    assert "limits.tokens: has no limit that could be raised; a number without + sets one" in error


@pytest.mark.parametrize(("command", "flag"), [("budgets", "--set"), ("resume_goals", "--raise")])
def test_a_wrong_limit_is_refused_though_no_goal_is_meant(run_here, command, flag):
    code, _, error = run_here(command, "--all", flag, "gold=+5", flag, "tokens=+many")
    assert (code, len(error.splitlines())) == (64, 2)
    assert "limits.gold: unknown; allowed are model_calls" in error


def test_it_is_said_that_nothing_goes_on(run_here):
    assert run_here("resume_goals", "--all")[:2] == (0, "0 go on: no paused goal is meant\n")
    assert run_here("resume_goals", "--all", "--json")[:2] == (0, "")


def test_who_resumes_a_goal_that_waits_is_told_how_to_answer(run_here, goal, ada):
    Question.objects.create(goal=goal, kind="information", key="place", prompt="Where?")
    Goal.objects.filter(pk=goal.pk).update(status="waiting", waits_for="question")
    code, out, _ = run_here("resume_goals", str(goal.pk))
    assert (code, out.splitlines()[-1][-52:]) == (2, f"manage.py goals answer {goal.pk}"[-52:])


def test_goals_are_resumed_by_selection(run_here, family, many):
    assert run_here("resume_goals", "--owner", "ada", "--reason", "user", "--detach")[0] == 0
    assert [Goal.objects.get(pk=goal.pk).status for goal in family] == ["planning", "planning"]
    assert Goal.objects.get(pk=many[1].pk).status == "paused"


def test_resuming_can_be_tried(run_here, family):
    before = everything()
    code, out, _ = run_here("resume_goals", "--all", "--raise", "cost_usd=+5", "--dry-run")
    assert (code, out.splitlines()[-1]) == (0, "2 would go on; nothing was changed")
    assert str(family[0].pk) in out
    assert everything() == before


@pytest.mark.django_db(transaction=True)
def test_goals_that_go_on_are_told_as_json(run_here, ada):
    spec = {"type": "artifact", "name": "never", "exists": False}
    met = services.submit(owner=ada, objective="Nothing to do", verifier=spec)
    code, out, _ = run_here("resume_goals", str(met.pk)[:35], "--json")
    begun, result = objects(out)
    assert (code, begun) == (0, {"type": "resumed", "goal": str(met.pk)})
    assert (result["type"], result["status"], result["outcome"]) == ("result", "completed", "achieved")


@pytest.mark.parametrize("command", ["budgets", "resume_goals"])
def test_an_age_that_is_none_is_refused_by_name(run_here, command):
    code, out, error = run_here(command, "--older", "soon")
    assert (code, out) == (64, "")
    assert "--older: 'soon' must be an age" in error


@pytest.mark.parametrize("command", [["goals", "list"], ["goals", "cancel"], ["budgets"], ["resume_goals"]])
def test_an_owner_whom_there_is_not_is_refused_by_name(run_here, ada, command):
    code, out, told = run_here(*command, "--owner", "adda")
    assert (code, out) == (64, "")
    assert "--owner: there is nobody called 'adda'" in told


def test_whoever_selects_more_than_are_taken_at_once_is_told(run_here, family, monkeypatch):
    monkeypatch.setattr(selecting, "MOST", 1)
    told = "at most 1 goals are taken at once; narrow the selection"
    for words in (
        ["budgets", "--all", "--set", "cost_usd=+5"],
        ["resume_goals", "--all", "--detach"],
        ["goals", "pause", "--all"],
    ):
        assert told in run_here(*words)[2], words
