"""Slash commands need no model."""

import pytest

from goals.chat import command_goal, commands
from goals.chat.interpreter import interpret_waiting
from goals.models import Goal, ModelCall

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_goal_in_plain_words(post, said, conversation):
    post("/goal Write an inventory of this folder")
    goal = Goal.objects.get()
    assert (goal.objective, goal.conversation) == ("Write an inventory of this folder", conversation)
    assert said()[-1] == ("assistant", "The goal is set.")
    assert interpret_waiting() == 0
    assert not ModelCall.objects.exists()


def test_a_goal_whose_plan_is_to_be_looked_over(post, said):
    post("/plan Write an inventory of this folder")
    assert Goal.objects.get().options == {"plan_approval": True}
    assert "before it is begun" in said()[-1][1]
    post("/plan")
    assert said()[-1][0] == "system"
    assert Goal.objects.count() == 1


def test_a_goal_with_a_verifier_a_mode_and_patience(post):
    post(
        '/goal {"condition": "There is a report", "verifier": {"type": "data", "path": "r.md", "contains": "x"},'
        ' "mode": "drive", "no_progress_limit": 5}'
    )
    goal = Goal.objects.get()
    assert goal.verifier == {"type": "data", "path": "r.md", "contains": "x"}
    assert goal.options == {"no_progress": 5}


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("{", "goal"),
        ("{}", "condition"),
        ('{"condition": 3}', "condition"),
        ('{"condition": "x", "colour": 1}', "colour"),
        ('{"condition": "x", "no_progress_limit": 0}', "no_progress_limit"),
        ('{"condition": "x", "no_progress_limit": true}', "no_progress_limit"),
        ('{"condition": "x", "mode": "fly"}', "mode"),
        ('{"condition": "x", "verifier": {"type": "magic"}}', "verifier"),
        ('{"condition": "x", "verifier": {"type": "command", "command": "true"}}', "verifier"),
        ('{"condition": "x", "mode": "monitor"}', "verifier"),
    ],
)
def test_what_is_wrong_is_said_with_its_field(post, said, text, field):
    post(f"/goal {text}")
    assert said()[-1][0] == "system"
    assert field in said()[-1][1]
    assert not Goal.objects.exists()


@pytest.mark.parametrize("word", command_goal.CLEAR)
def test_a_goal_is_cleared_by_any_of_its_words(post, said, word):
    post("/goal Write a report")
    post(f"/goal {word}")
    assert Goal.objects.get().status == "cancelled"
    post(f"/goal {word}")
    assert said()[-1] == ("assistant", "There is no goal under way in this conversation.")


def test_the_status_is_said_in_words(post, said):
    post("/goal")
    assert "There is no goal" in said()[-1][1]
    post("/goal Write a report")
    post("/goal")
    assert said()[-1][1] == "**Write a report**\n\nMaking a plan"


def test_help_lists_the_catalogue(post, said):
    post("/help")
    assert all(entry["usage"] in said()[-1][1] for entry in commands.catalogue())


def test_an_unknown_command_is_refused_by_name(post, said):
    post("/frobnicate now")
    role, text = said()[-1]
    assert (role, text.startswith("**command**: there is no /frobnicate; there are /answer, /cancel, ")) == (
        "system",
        True,
    )


@pytest.mark.parametrize("text", ["/etc/hosts is missing", "a /goal", "/ hello", "/2nd attempt", "//goal"])
def test_what_only_looks_like_a_command_is_none(text):
    assert not commands.is_command(text)
