"""`manage.py goals`: an operator sees many goals and moves them, by ids, beginnings of ids, or a selection."""

from datetime import timedelta

import pytest
from django.utils import timezone

from goals import services
from goals.models import Checkpoint, Goal, Question, Subgoal
from tests.goals.commands.bakery import *  # noqa: F403
from tests.goals.commands.processes import objects


def old(goal, **age):
    Goal.objects.filter(pk=goal.pk).update(created_at=timezone.now() - timedelta(**age))


def status(goal):
    return Goal.objects.get(pk=goal.pk).status


def everything():
    return [*Goal.objects.order_by("pk").values(), *Checkpoint.objects.order_by("pk").values()]


# -- seeing -----------------------------------------------------------------------------------------------------


def test_goals_are_listed_in_a_table_latest_first(run_here, many):
    code, out, error = run_here("goals", "list")
    head, *lines = out.splitlines()
    assert (code, error, head.split()) == (0, "", ["ID", "STATE", "AGE", "OWNER", "STEPS", "USD", "OBJECTIVE"])
    assert [line.split()[0] for line in lines] == [str(goal.pk) for goal in reversed(many)]
    assert "paused (user)" in lines[1]
    assert lines[1].endswith("Goal of bob")


def test_a_list_as_json_says_more(run_here, goal):
    (told,) = objects(run_here("goals", "list", "--json")[1])
    assert (told["goal"], told["objective"], told["owner"]) == (str(goal.pk), "Bake\nbread", "ada")
    assert told["checkpoints"] == {"completed": 0, "total": 3}


def test_a_list_of_nothing_is_empty(run_here):
    assert run_here("goals", "list") == (0, "", "")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--state", "paused"], [1]),
        (["--state", "paused", "--state", "planning"], [0, 1]),
        (["--owner", "ada"], [0]),
        (["--reason", "user"], [1]),
        (["--reason", "OVEN"], [1]),
        (["--older", "2d"], [0]),
        (["--newer", "48h"], [1, 2]),
        (["--newer", "1w", "--owner", "bob", "--state", "cancelled"], [2]),
        (["--most", "1"], [2]),
    ],
)
def test_goals_are_selected_by_state_owner_reason_and_age(run_here, many, words, found):
    old(many[0], days=3)
    told = objects(run_here("goals", "list", "--json", *words)[1])
    assert {row["goal"] for row in told} == {str(many[number].pk) for number in found}


def test_a_list_takes_as_many_statements_for_many_goals_as_for_one(run_here, ada, django_assert_num_queries):
    for number in range(2):
        services.submit(owner=ada, objective=f"Goal {number}")
    with django_assert_num_queries(4):
        run_here("goals", "list")
    for number in range(5):
        services.submit(owner=ada, objective=f"More {number}")
    with django_assert_num_queries(4):
        run_here("goals", "list")


def test_an_objective_that_steers_a_terminal_or_is_wide_spoils_no_table(run_here, ada):
    services.submit(owner=ada, objective="\x1b[2J目標 \u202eexe")
    _, out, _ = run_here("goals", "list")
    assert "\x1b" not in out
    assert out.splitlines()[1].endswith("\ufffd[2J目標 \ufffdexe")


def test_a_goal_is_shown_with_its_steps_its_questions_and_what_to_do(run_here, goal, ada):
    question = Question.objects.create(goal=goal, kind="information", key="place", prompt="Where?", suggestions=["A"])
    services.steer(ada, goal.pk, "less salt")
    services.pause(ada, goal.pk, reason="lunch")
    code, out, _ = run_here("goals", "show", str(goal.pk))
    assert code == 0
    for line in (
        "  paused (user): lunch",
        "  cost_usd     0 / 5",
        "  1. Step 0 (active)",
        "steered by ada: less salt",
        f"open question place ({question.pk}): Where?",
        "    1. A",
        f"the goal is kept; go on with: manage.py resume_goals {goal.pk}",
    ):
        assert line in out.splitlines()
    for waits_for, way in (("question", "goals answer"), ("watch", "resume_goals")):
        Goal.objects.filter(pk=goal.pk).update(
            status="waiting", paused_for="", waits_for=waits_for, wake_at=timezone.now()
        )
        assert run_here("goals", "show", str(goal.pk))[1].splitlines()[-1].endswith(f"manage.py {way} {goal.pk}")
    (told,) = objects(run_here("goals", "show", str(goal.pk), "--json")[1])
    assert told["checkpoints"][2]["number"] == 3
    assert told["budget"]["cost_usd"] == {"limit": 5.0, "used": 0.0, "reserved": 0.0}


# -- ids --------------------------------------------------------------------------------------------------------


def test_the_beginning_of_an_id_is_enough_while_it_is_unambiguous(run_here, many):
    first, second = (str(goal.pk) for goal in many[:2])
    length = next(n for n in range(36) if first[n] != second[n] and first[n] != str(many[2].pk)[n]) + 1
    assert run_here("goals", "show", first[:length])[0] == 0
    assert run_here("goals", "show", first[:length].replace("-", "").upper())[0] == 0
    code, out, error = run_here("goals", "show", first[:2])
    assert (code, out) == (64, "")
    assert f"ID: {first[:2]} is the beginning of several: {first}, {second}" in error


@pytest.mark.parametrize("text", ["ffff", "nonsense", "", " ", "%", "g" * 99, "01" * 40, "a\0b", "\udcff"])
def test_what_is_no_id_is_not_found(run_here, goal, text):
    code, out, error = run_here("goals", "show", text)
    assert (code, out) == (1, "")
    assert "there is no goal" in error


# -- following --------------------------------------------------------------------------------------------------


def test_events_are_followed_by_their_numbers(run_here, goal, ada):
    services.pause(ada, goal.pk, reason="lunch")
    services.resume(ada, goal.pk)
    _, out, _ = run_here("goals", "tail", str(goal.pk), "--once", "--after", "1", "--json")
    assert [(row["seq"], row["kind"]) for row in objects(out)] == [(2, "goal.paused"), (3, "goal.resumed")]
    _, out, _ = run_here("goals", "tail", str(goal.pk), "--once")
    assert [line.split()[0] for line in out.splitlines()] == ["1", "2", "3"]
    assert "goal.paused            by ada  lunch" in out


def test_the_last_events_are_shown_first(run_here, goal, ada):
    for number in range(40):
        services.steer(ada, goal.pk, f"word {number}")
    out = run_here("goals", "tail", str(goal.pk), "--once", "--json")[1]
    assert [row["seq"] for row in objects(out)] == list(range(22, 42))


def test_more_events_than_a_page_come_whole(run_here, goal, ada, monkeypatch):
    monkeypatch.setattr("goals.events.since.__kwdefaults__", {"limit": 7})
    for number in range(20):
        services.steer(ada, goal.pk, f"word {number}")
    out = run_here("goals", "tail", str(goal.pk), "--once", "--after", "0", "--json")[1]
    assert [row["seq"] for row in objects(out)] == list(range(1, 22))


# -- moving -----------------------------------------------------------------------------------------------------


def test_goals_are_moved_in_the_operators_name_and_the_reason_is_kept(run_here, goal, site):
    key = str(goal.pk)
    assert run_here("goals", "pause", key, "--because", "lunch", "--now")[0] == 0
    assert run_here("goals", "resume", key)[0] == 0
    assert run_here("goals", "steer", key, "less salt")[0] == 0
    assert run_here("goals", "revise", key, "no flour")[0] == 0
    assert run_here("goals", "cancel", key, "--because", "late")[0] == 0
    assert run_here("goals", "rearm", key)[0] == 0
    told = {event.kind: (event.actor, event.payload.get("reason")) for event in goal.events.exclude(actor=None)}
    del told["goal.created"]
    assert {actor for actor, _ in told.values()} == {site}
    assert told["goal.paused"][1] == "lunch"
    assert told["goal.cancelled"][1] == "late"
    assert {"goal.resumed", "goal.steered", "goal.rearmed"} <= set(told)
    assert [event.payload["text"] for event in goal.events.filter(kind="goal.steered")] == ["less salt", "no flour"]


def test_a_step_is_skipped_retried_and_changed_by_its_number(run_here, goal, site):
    key = str(goal.pk)
    assert run_here("goals", "skip", key, "3", "nobody is hungry")[0] == 0
    assert run_here("goals", "retry", key, "1")[0] == 0
    assert run_here("goals", "edit", key, "2", "title=Bake it dark", 'args={"instructions": "dark"}')[0] == 0
    rows = goal.checkpoints.order_by("position")
    assert [row.status for row in rows] == ["active", "pending", "skipped"]
    assert (rows[1].title, rows[1].args) == ("Bake it dark", {"instructions": "dark"})
    assert set(goal.events.filter(seq__gt=1).values_list("actor", flat=True)) == {site.pk}


def test_a_subgoal_is_changed_by_the_beginning_of_its_id(run_here, goal):
    columns = {"goal": goal, "checkpoint": goal.checkpoints.first()}
    root = Subgoal.objects.create(gloss="All", predicate="composite", status="active", **columns)
    child = Subgoal.objects.create(parent=root, depth=1, gloss="Look", predicate="execute", **columns)
    code, _, error = run_here("goals", "edit", str(goal.pk), str(child.pk), "gloss=Look about")
    assert (code, error) == (0, "")
    child.refresh_from_db()
    assert child.gloss == "Look about"


def test_a_selection_moves_what_can_be_moved_and_nothing_else(run_here, many):
    code, out, error = run_here("goals", "pause", "--all")
    assert (code, error) == (0, "")
    assert [line.split()[:2] for line in out.splitlines()[1:]] == [[str(many[0].pk), "paused"]]
    assert [status(goal) for goal in many] == ["paused", "paused", "cancelled"]
    run_here("goals", "cancel", "--owner", "bob", "--reason", "oven")
    assert [status(goal) for goal in many] == ["paused", "cancelled", "cancelled"]


def test_what_is_refused_is_told_and_the_others_are_moved(run_here, many):
    code, out, error = run_here("goals", "cancel", *(str(goal.pk) for goal in many), "--json")
    assert code == 1
    told = [(row["status"], bool(row["refused"])) for row in objects(out)]
    assert told == [("cancelled", False), ("cancelled", False), ("cancelled", True)]
    code, out, error = run_here("goals", "cancel", str(many[2].pk))
    assert (code, out) == (1, "")
    assert f"{many[2].pk}: the goal is cancelled; only an unfinished goal can be cancelled" in error


@pytest.mark.parametrize(
    "words",
    [
        ["pause", "--all", "--now"],
        ["resume", "--all"],
        ["cancel", "--state", "paused"],
        ["steer", "--owner", "ada", "less salt"],
        ["rearm", "--all"],
    ],
)
def test_a_dry_run_tells_what_would_come_of_it_and_changes_nothing(run_here, many, words):
    before = everything()
    code, out, error = run_here("goals", *words, "--dry-run")
    assert (code, error) == (0, "")
    assert out.splitlines()[-1] == "1 would be done; nothing was changed"
    if words[0] == "cancel":
        assert out.splitlines()[1].split()[:2] == [str(many[1].pk), "cancelled"]
    assert everything() == before


def test_a_dry_run_tells_refusals_too(run_here, goal):
    before = everything()
    code, _, error = run_here("goals", "retry", str(goal.pk), "2", "--dry-run")
    assert (code, everything()) == (1, before)
    assert "only one that is active or failed can be retried" in error


# -- answering --------------------------------------------------------------------------------------------------


def test_the_open_question_of_a_goal_is_answered(run_here, goal, site):
    question = Question.objects.create(goal=goal, kind="information", key="place", prompt="Where?")
    assert run_here("goals", "answer", str(goal.pk), "Paris")[0] == 0
    question.refresh_from_db()
    assert (question.answer, question.answered_by, question.channel) == ("Paris", site, "terminal")
    code, _, error = run_here("goals", "answer", str(goal.pk), "Rome")
    assert (code, "has no open question" in error) == (1, True)


def test_among_several_questions_one_is_named_by_key_or_id(run_here, goal):
    first, second = (Question.objects.create(goal=goal, kind="information", key=key, prompt=key) for key in "ab")
    code, _, error = run_here("goals", "answer", str(goal.pk), "x")
    assert (code, f"a ({first.pk}), b ({second.pk})" in error) == (64, True)
    assert run_here("goals", "answer", str(goal.pk), "x", "--key", "b")[0] == 0
    assert run_here("goals", "answer", str(first.pk), "y")[0] == 0
    assert [*Question.objects.order_by("pk").values_list("answer", flat=True)] == ["y", "x"]


# -- wrong usage ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["list", "--older", "soon"], "--older: 'soon' must be an age such as 90s, 30m, 12h, 7d or 2w"),
        (["list", "--older", "1d", "--newer", "1y"], "--newer: '1y' must be an age"),
        (["list", "--newer", "999999w"], "--newer: '999999w' must be an age"),
        (["list", "--owner", "a\0b"], "--owner: holds a NUL"),
        (["list", "--reason", "\udcff"], "--reason: holds a NUL character or a lone surrogate"),
        (["list", "--most", "0"], "--most: must be 1 or more"),
        (["tail", "{goal}", "--after", "-1"], "--after: must be 0 or more"),
        (["pause"], "ID: name goals, or select them by --state"),
        (["pause", "{goal}", "--all"], "ID: name goals or select them"),
        (["steer", "{goal}", " "], "text: must not be empty"),
        (["revise", "{goal}", "a\0b"], "reason: holds a NUL"),
        (["skip", "{goal}", "9", "x"], "checkpoint: there is no step '9'; they are numbered 1 to 3"),
        (["skip", "{goal}", "1", ""], "reason: must not be empty"),
        (["edit", "{goal}", "2", "title"], "FIELD: 'title' must be key=value"),
        (["edit", "{goal}", "2", "status=completed"], "status: cannot be edited"),
        (["edit", "{goal}", "2", "args={"], "args: is no JSON"),
        (["edit", "{goal}", "2", "title="], "checkpoint: "),
        (["answer", "{goal}"], "ANSWER: is needed; the question is: Where?"),
    ],
)
def test_it_is_refused_by_name_and_nothing_is_changed(run_here, goal, words, field):
    Question.objects.create(goal=goal, kind="information", key="place", prompt="Where?")
    before = everything()
    code, out, error = run_here("goals", *(word.format(goal=goal.pk) if word == "{goal}" else word for word in words))
    assert (code, out) == (64, "")
    assert field in error
    assert everything() == before


# -- completion -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["goals", "re"], {"resume", "retry", "revise", "rearm"}),
        (["goals", "pause", ""], {0}),
        (["goals", "resume", ""], {1}),
        (["goals", "show", ""], {0, 1, 2}),
        (["resume_goals", ""], {0, 1, 2}),
        (["goals", "list", "--state", "pa"], {"paused"}),
        (["goals", "list", "--st"], {"--state"}),
        (["goals", "completion", ""], {"bash", "zsh"}),
        (["goals", "show", "not-an-id"], set()),
        (["migrate", ""], set()),
    ],
)
def test_a_shell_is_told_what_may_come_next(run_here, many, words, found):
    _, out, _ = run_here("goals", "complete", "--", *words)
    keys = {str(goal.pk): number for number, goal in enumerate(many)}
    assert {keys.get(word, word) for word in out.split()} == found
