"""`manage.py goal` as a process: what it prints and how it ends."""

import json
import signal
import subprocess
import threading

import pytest

from goals.models import Goal, ToolCall
from goals.states import GoalStatus
from goals.tools.trains import timetable
from tests.goals.commands.processes import Manage, objects
from tests.goalsite.processes import eventually

INVENTORY = "Write an inventory of the Python modules in this folder"
TRAIN = timetable("London", "Paris")[1]["id"]
TRIP = ["origin=London", "destination=Paris", "date=2026-12-01", f"train={TRAIN}"]
RESULT = {"type", "goal", "status", "outcome", "reason", "budget", "checkpoints", "artifacts", "questions"}


def flagged(flag, values):
    return [word for value in values for word in (flag, value)]


def test_a_goal_that_is_met_ends_with_0_and_says_so_in_short_plain_lines(manage, workspace):
    ran = manage("goal", INVENTORY, "--workspace", str(workspace))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "\x1b" not in ran.stdout
    lines = ran.stdout.splitlines()
    assert lines[0] == f"goal {Goal.objects.get().pk} in {workspace}"
    assert "stand-in" in lines[1]
    assert "• plan (procedure python-inventory): 2 checkpoints" in lines
    assert "\n✔ completed (achieved): All 3 checks passed.\n" in ran.stdout
    assert lines[-1].startswith("  budget: 2 of 200 model calls, ")
    assert max(map(len, lines)) < 200
    assert "greenhouse.py" in (workspace / "python-inventory.md").read_text()


def test_json_is_an_object_a_line_the_events_without_gaps_and_last_the_result(here, workspace):
    code, out, error = here("goal", INVENTORY, "--workspace", str(workspace), "--json")
    assert (code, error) == (0, "")
    *told, result = objects(out)
    assert [one["seq"] for one in told] == list(range(1, len(told) + 1))
    assert {frozenset(one) for one in told} == {frozenset({"type", "goal", "seq", "kind", "payload", "at", "actor"})}
    assert (told[0]["kind"], told[-1]["kind"]) == ("goal.created", "goal.completed")
    assert set(result) == RESULT
    assert (result["type"], result["status"], result["outcome"]) == ("result", "completed", "achieved")
    assert set(result["budget"]) == {"model_calls", "tokens", "cost_usd", "seconds"}
    assert set(result["budget"]["tokens"]) == {"limit", "used", "reserved"}
    assert result["checkpoints"][0] == {"title": "Inspect the Python modules", "status": "completed"}
    assert {"name": "report", "version": 1, "type": "file"} in result["artifacts"]
    assert result["questions"] == []


def test_a_no_given_beforehand_fails_the_goal_with_1(here, workspace):
    given = flagged("--answer", [*TRIP, "confirmation=no"])
    code, out, _ = here("goal", "Book a train", "--sop", "book-train", *given, "--workspace", str(workspace))
    assert code == 1
    assert "✘ failed (unachievable): " in out
    assert not ToolCall.objects.filter(tool="train_book").exists()


def test_approve_says_yes_to_confirmations_and_answers_beforehand_are_used(here, workspace):
    given = [*flagged("--answer", TRIP), "--workspace", str(workspace)]
    code, out, _ = here("goal", "Book a train", "--sop", "book-train", *given, "--approve", "--json")
    assert code == 0, out
    answered = [one["payload"] for one in objects(out)[:-1] if one["kind"] == "question.answered"]
    assert [one["channel"] for one in answered] == ["beforehand"] * 5
    assert ToolCall.objects.filter(tool="train_book", status="succeeded").count() == 1


def test_without_a_terminal_an_open_question_ends_it_with_2(here, workspace):
    code, out, _ = here("goal", "Convert a CSV file to JSON", "--workspace", str(workspace))
    assert code == 2
    lines = out.splitlines()
    asked = lines.index("  open question csv_file: Which CSV file should be cleaned?")
    assert lines[asked + 1 : asked + 3] == ["    1. beds.csv", "    2. harvest.csv"]
    assert "the goal is kept; answer on the chat page" in out


def test_the_only_choice_is_taken_and_told(here, workspace):
    (workspace / "beds.csv").unlink()
    code, out, _ = here("goal", "Convert a CSV file to JSON", "--workspace", str(workspace))
    assert code == 0
    assert "      harvest.csv, the only choice" in out.splitlines()


def test_a_limit_that_is_reached_pauses_the_goal_with_2_and_says_how_to_go_on(here, workspace):
    code, out, _ = here(
        "goal", INVENTORY, "--limit", "model_calls=1", "--limit", "tokens=100000", "--workspace", str(workspace)
    )
    goal = Goal.objects.get()
    assert (code, goal.status, goal.paused_for) == (2, GoalStatus.PAUSED, "budget")
    assert "‖ paused (budget): " in out
    assert f"manage.py resume_goals {goal.pk} --raise" in out
    assert "1 of 1 model calls" in out
    assert " of 100000 tokens" in out


def test_a_verifier_that_is_met_already_ends_it_before_any_model_is_asked(here, workspace, model):
    verifier = json.dumps({"type": "data", "path": "beds.csv", "contains": "Kale"})
    code, out, _ = here("goal", "Have kale in a bed", "--verifier", verifier, "--workspace", str(workspace))
    assert code == 0
    assert "it was met already" in out
    assert model.requests == []


def test_a_detached_goal_is_left_to_the_workers(manage, workspace, model):
    ran = manage("goal", INVENTORY, "--detach", "--workspace", str(workspace))
    assert (ran.returncode, ran.stdout.count("\n")) == (0, 1)
    assert "is left to the site's workers" in ran.stdout
    assert (Goal.objects.get().status, model.requests) == (GoalStatus.PLANNING, [])


@pytest.mark.parametrize("words", [["--json"], ["Do it", "--loudly", "--json"]])
def test_wrong_usage_ends_with_64_and_leaves_standard_output_empty(words, site_environment):
    ran = Manage(site_environment)("goal", *words)
    assert (ran.returncode, ran.stdout) == (64, "")
    assert "usage: manage.py goal" in ran.stderr


def interrupted(process: "subprocess.Popen[str]") -> str:
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=60)[0]


def test_ctrl_c_keeps_the_goal_and_the_reply_that_was_on_its_way(manage, workspace, model, settle, settings):
    stopping = threading.Event()
    model.script["judge_applicability"] = {"hold": stopping.is_set}
    with manage.started("goal", INVENTORY, "--workspace", str(workspace)) as process:
        eventually(lambda: model.requests, 60, "the model is asked")
        process.send_signal(signal.SIGINT)
        assert "stopping once the call in hand is done" in said_with("stopping once", process)
        stopping.set()
        said = process.communicate(timeout=60)[0]
    goal = Goal.objects.get()
    assert process.returncode == 2
    assert f"the goal is kept; go on with: manage.py resume_goals {goal.pk}" in said
    assert not goal.is_ended
    settings.GOALSITE_REHEARSAL_PORT = model.port
    assert settle(goal).status == GoalStatus.COMPLETED
    assert len(model.named("judge_applicability")) == 1  # what was paid for is not asked for again


def test_a_second_ctrl_c_does_not_wait_for_the_model(manage, workspace, model):
    model.script["judge_applicability"] = {"delay": 60}
    with manage.started("goal", INVENTORY, "--workspace", str(workspace)) as process:
        eventually(lambda: model.requests, 60, "the model is asked")
        process.send_signal(signal.SIGINT)
        assert "Ctrl-C again" in said_with("stopping once", process)
        interrupted(process)
    assert process.returncode == 2
    assert not Goal.objects.get().is_ended


def said_with(text: str, process: "subprocess.Popen[str]") -> str:
    """Return the next line that has the text."""
    for line in process.stdout:
        if text in line:
            return line
    raise AssertionError(f"{text!r} was never said")


def test_off_a_terminal_a_plan_that_waits_is_listed_and_the_code_is_2(here, workspace):
    code, out, _ = here("goal", "Find the word kale", "--alternatives", "2", "--json", "--workspace", str(workspace))
    assert code == 2
    (question,) = json.loads(out.splitlines()[-1])["questions"]
    assert (question["kind"], question["key"]) == ("approval", "plan")
    assert question["details"]["plans"][0]["checkpoints"]
    code, out, _ = here("goal", "Find the word kale", "--plan-approval", "--workspace", str(workspace))
    assert code == 2
    assert "May I carry out this plan?" in out
    assert "1. " in out
    assert "open question plan" in out
