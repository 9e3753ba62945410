"""`manage.py goals` as a process of its own: exit codes, a terminal, a shell that completes, a reader that leaves."""

import json
import shutil
import subprocess

import pytest

from goals import services
from goals.models import Question
from tests.goals.commands.bakery import *  # noqa: F403
from tests.goals.commands.processes import HOME, objects


def test_following_goes_on_gap_free_until_the_goal_has_ended(manage, goal, ada):
    with manage.started("goals", "tail", str(goal.pk), "--after", "0", "--json") as process:
        first = process.stdout.readline()
        for number in range(30):
            services.steer(ada, goal.pk, f"word {number}")
        services.cancel(ada, goal.pk)
        rest, _ = process.communicate(timeout=60)
    assert [row["seq"] for row in objects(first + rest)] == list(range(1, 33))
    assert process.returncode == 1


def test_without_an_answer_the_question_is_asked_on_the_terminal(manage, goal):
    question = Question.objects.create(goal=goal, kind="confirmation", key="sure", prompt="Are you sure?")
    with manage.terminal("goals", "answer", str(goal.pk)) as terminal:
        terminal.wait_for("Are you sure?")
        terminal.say("maybe")
        terminal.wait_for("this answer must be yes or no")
        terminal.say("yes")
        assert terminal.end() == 0
    question.refresh_from_db()
    assert question.answer is True


@pytest.mark.parametrize("words", [[], ["fly"], ["list", "--state", "asleep"], ["show"], ["tail", "x", "--after", "y"]])
def test_a_process_ends_with_64_on_wrong_usage(manage, words):
    ran = manage("goals", *words)
    assert (ran.returncode, ran.stdout) == (64, "")
    assert "usage: manage.py goals" in ran.stderr


def test_bash_completes_ids(manage, many):
    line = f"manage.py goals resume {str(many[1].pk)[:20]}"
    script = f"""
        eval "$({" ".join(manage.command("goals", "completion", "bash"))})"
        COMP_WORDS=({" ".join(manage.command())} goals resume {str(many[1].pk)[:20]}) COMP_CWORD=4
        _goalsite
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    ran = subprocess.run(["bash", "-c", script], cwd=HOME, env=manage.environment, capture_output=True, text=True)
    assert (ran.stdout.split(), ran.stderr) == ([str(many[1].pk)], ""), line


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_zsh_completes_ids(manage, many):
    program = manage.command()
    script = f"""
        compdef() {{ }}
        compadd() {{ shift; print -l -- "$@" }}
        eval "$({" ".join(manage.command("goals", "completion", "zsh"))})"
        words=({" ".join(program)} goals resume {str(many[1].pk)[:20]}) CURRENT={len(program) + 3}
        _goalsite
    """
    ran = subprocess.run(["zsh", "-f", "-c", script], cwd=HOME, env=manage.environment, capture_output=True, text=True)
    assert (ran.stdout.split(), ran.stderr) == ([str(many[1].pk)], "")


def test_completion_starts_no_database(manage, tmp_path):
    environment = {"DATABASE_URL": "", "GOALSITE_DATA_DIR": str(tmp_path / "nothing")}
    ran = manage("goals", "complete", "--", "goals", "show", "", **environment)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert not (tmp_path / "nothing" / "postgres").exists()


def test_output_that_nobody_reads_any_more_ends_quietly(manage, many):
    ran = subprocess.run(
        f"{' '.join(manage.command('goals', 'list', '--json'))} | true",
        shell=True,
        cwd=HOME,
        env=manage.environment,
        capture_output=True,
        text=True,
    )
    assert ran.stderr == ""
    assert json.dumps(ran.stdout) == '""'
