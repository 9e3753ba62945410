"""`manage.py goal` on a terminal: it asks there, takes what fits, and leaves a goal in good order."""

import json

from goals import answers
from goals.models import Goal, Question
from goals.states import GoalStatus
from goalsite.login_once import operator
from tests.goalsite.processes import eventually


def test_a_suggestion_is_chosen_by_its_number(manage, workspace):
    with manage.terminal("goal", "Convert a CSV file to JSON", "--workspace", str(workspace)) as terminal:
        terminal.wait_for("Which CSV file should be cleaned?")
        terminal.wait_for("1. beds.csv")
        terminal.wait_for("2. harvest.csv")
        terminal.say("2")
        assert terminal.end() == 0
        assert "✔ completed (achieved)" in terminal.screen
        assert "\x1b[" in terminal.raw  # colours and a live line, as on any terminal
    assert json.loads((workspace / "cleaned.json").read_text())[0]["crop"] == "Bean"
    assert Question.objects.get().channel == "terminal"


def test_an_answer_that_does_not_fit_is_asked_for_again(manage, workspace):
    given = ["--answer", "origin=London", "--answer", "destination=Paris", "--workspace", str(workspace)]
    with manage.terminal("goal", "Book me a train", "--sop", "book-train", *given) as terminal:
        terminal.wait_for("On which day")
        terminal.say("tomorrow")
        terminal.wait_for("this answer does not fit")
        terminal.say("")
        terminal.wait_for("this answer must not be empty")
        terminal.say("2026-12-01")
        terminal.wait_for("Which train")
        terminal.say("1")
        terminal.wait_for("Book DEMO-")
        terminal.say("maybe")
        terminal.wait_for("this answer must be yes or no")
        terminal.say("1")
        assert terminal.end() == 0, terminal.screen
        assert "Your booking (demonstration, no ticket was sold):" in terminal.screen
    assert Goal.objects.get().status == GoalStatus.COMPLETED


def test_ctrl_c_at_a_question_keeps_the_goal_and_says_how_to_go_on(manage, workspace):
    with manage.terminal("goal", "Convert a CSV file to JSON", "--workspace", str(workspace)) as terminal:
        terminal.wait_for("> ")
        terminal.type("\x03")
        assert terminal.end() == 2
        goal = Goal.objects.get()
        assert "open question csv_file" in terminal.screen
        assert "the goal is kept; answer on the chat page" in terminal.screen
        assert "Traceback" not in terminal.screen
    assert (goal.status, goal.questions.open().count()) == (GoalStatus.WAITING, 1)


def test_the_end_of_input_leaves_the_question_open(manage, workspace):
    with manage.terminal("goal", "Convert a CSV file to JSON", "--workspace", str(workspace)) as terminal:
        terminal.wait_for("> ")
        terminal.type("\x04")
        assert terminal.end() == 2
    assert Question.objects.open().count() == 1


def test_an_answer_from_another_channel_is_seen_at_once(manage, workspace):
    with manage.terminal("goal", "Convert a CSV file to JSON", "--workspace", str(workspace)) as terminal:
        terminal.wait_for("> ")
        eventually(lambda: Goal.objects.get().status == GoalStatus.WAITING, 60, "the goal waits")
        answers.answer(operator(), Question.objects.get().pk, "beds.csv", channel="api")
        terminal.wait_for("(answered elsewhere)")
        assert terminal.end() == 0


def test_a_plan_is_shown_as_a_numbered_list_and_refused_with_a_remark_then_approved(manage, workspace):
    given = ["--sop", "csv-to-json", "--plan-approval", "--answer", "csv_file=beds.csv"]
    with manage.terminal("goal", "Clean up a table", *given, "--workspace", str(workspace)) as terminal:
        terminal.wait_for("May I carry out this plan?")
        terminal.wait_for("1. ")
        terminal.wait_for("done when: ")
        terminal.say("n")
        terminal.wait_for("What should be different?")
        terminal.say("list the files only")
        terminal.wait_for("May I carry out this plan?")
        terminal.say("y")
        terminal.end()
    first, second = Question.objects.filter(key="plan").order_by("created_at")
    assert (first.answer, second.answer) == ({"again": "list the files only"}, {"approve": 1})
    assert Goal.objects.get().checkpoints.exists()
