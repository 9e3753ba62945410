"""The procedures over files on odd real input: what they complete with is so, and nothing to work on is no success."""

import pytest

from goals.states import GoalStatus, Outcome

pytestmark = pytest.mark.usefixtures("library")


@pytest.fixture
def work(endpoint, submit, settle, tmp_path):
    """Work on a goal in a folder of these files; gives the goal as it stands."""

    def run(objective, files, **options):
        for name, text in files.items():
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return settle(submit(objective, workspace=str(tmp_path), **options))

    return run


def test_a_triage_of_an_access_log_counts_only_the_errors(work, tmp_path):
    line = '1.2.3.4 - - [21/Nov/2026:10:00:06 +0100] "GET /a HTTP/1.1" {} 12\n'
    goal = work(
        "Triage the log files", {"access.log": "".join(map(line.format, (200, 304, 404, 502)))}, sop="log-triage"
    )
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert "**1 error of 1 kind** in 4 lines of 1 file." in (tmp_path / "log-triage.md").read_text()


@pytest.mark.parametrize(
    ("sop", "reason"),
    [
        ("log-triage", "There are no log files in the folder: none is named like *.log*; no other way was found"),
        ("csv-to-json", "There are no CSV or TSV files in the folder; no other way was found"),
        ("python-inventory", "There are no Python modules in the folder"),
    ],
)
def test_nothing_to_work_on_is_told_and_is_no_success(sop, reason, work, tmp_path):
    goal = work(f"Follow {sop}", {}, sop=sop)
    assert (goal.status, goal.outcome) == (GoalStatus.FAILED, Outcome.UNACHIEVABLE)
    assert goal.reason.startswith(reason)
    assert list(tmp_path.iterdir()) == []


def test_the_only_table_is_taken_without_a_question_to_anybody(work, tmp_path):
    goal = work("Clean the table", {"People.CSV": "Name;Age\nAnn;31\n"}, sop="csv-to-json")
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    (question,) = goal.questions.all()
    assert (question.answer, question.channel, question.answered_by) == ("People.CSV", "only_choice", None)
    assert "People.CSV (the only one in the folder)" in (tmp_path / "validation-report.md").read_text()


def test_of_two_tables_one_is_asked_for(work):
    goal = work("Clean the table", {"a.csv": "a,b\n1,2\n", "b.tsv": "a\tb\n1\t2\n"}, sop="csv-to-json")
    assert goal.status == GoalStatus.WAITING
    assert goal.questions.open().get().suggestions == ["a.csv", "b.tsv"]


def test_a_file_that_was_named_beforehand_needs_no_usual_ending(work, tmp_path):
    files, answers = {"table.txt": "Name;Age\nAnn;31\n"}, {"csv_file": "table.txt"}
    goal = work("Clean the table", files, sop="csv-to-json", answers=answers)
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert "table.txt" in (tmp_path / "validation-report.md").read_text()
