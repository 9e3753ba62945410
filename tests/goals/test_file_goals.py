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
    ],
)
def test_nothing_to_work_on_is_told_and_is_no_success(sop, reason, work, tmp_path):
    goal = work(f"Follow {sop}", {}, sop=sop)
    assert (goal.status, goal.outcome) == (GoalStatus.FAILED, Outcome.UNACHIEVABLE)
    assert goal.reason.startswith(reason)
    assert list(tmp_path.iterdir()) == []
