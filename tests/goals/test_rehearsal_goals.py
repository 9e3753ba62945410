"""The site's own procedures, followed to a verified end with nothing but the rehearsal model."""

import json

import pytest

from goals import answers, events
from goals.models import Question, ToolCall
from goals.states import GoalStatus, Outcome, Predicate

pytestmark = pytest.mark.usefixtures("library")

FILES = {
    "README.md": "# Demo\n\n## Installation\n\npip\n\n## Usage\n\nSee [the code](src/a.py) and [gone](gone.md).\n",
    "src/a.py": '"""A module."""\n\n\ndef hello():\n    return 1  # TODO: greet\n\n\nclass B:\n    """B."""\n',
    "people.csv": "Name; Age \nAnn;31\nBob;x\n\nAnn;31\n",
    "app.log": "2026-11-01 10:00:00 ERROR cannot reach 10.0.0.1\n2026-11-01 10:00:05 ERROR cannot reach 10.0.0.2\n",
}
ANSWERS = {
    "csv-to-json": {"csv_file": "first"},
    "book-train": {"origin": "London", "destination": "Paris", "date": "2026-12-01", "train": "first"},
    "decision-record": {
        "decision_title": "Postgres",
        "decision_context": "We need a store.",
        "decision": "Postgres.",
        "consequences": "One server.",
    },
    "file-edit-with-approval": {"file": "src/a.py", "old_text": "return 1", "new_text": "return 2"},
    "find-in-files": {"term": "TODO"},
    "meeting-notes": {
        "subject": "Planning",
        "meeting_date": "2026-11-20",
        "attendees": "Ann, Bob",
        "decisions": "Ship it",
        "actions": "Ann writes the notes by Friday",
    },
    "release-checklist": {"version": "1.0"},
}
LIBRARY = [
    "book-train", "csv-to-json", "decision-record", "file-edit-with-approval", "find-in-files", "folder-overview",
    "log-triage", "markdown-link-index", "meeting-notes", "python-inventory", "readme-check", "release-checklist",
    "todo-report",
]  # fmt: skip


@pytest.fixture
def workspace(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def answer_all(goal, owner, settle):
    """Answer whatever is asked until the goal ends; returns the ended goal and the keys that were asked."""
    asked = []
    while (goal := settle(goal)).status == GoalStatus.WAITING:
        question = Question.objects.open().get(goal=goal)
        asked.append(question.key)
        said = ANSWERS.get(goal.sop_version.sop.slug, {}).get(question.key, "yes")
        answers.answer(owner, question.pk, question.suggestions[0] if said == "first" else said)
    return goal, asked


@pytest.mark.parametrize("slug", LIBRARY)
def test_each_procedure_runs_to_a_verified_end(slug, endpoint, submit, settle, owner, workspace):
    goal, _ = answer_all(submit(f"Follow {slug}", sop=slug, workspace=str(workspace)), owner, settle)
    assert (goal.status, goal.outcome, goal.reason) == (GoalStatus.COMPLETED, Outcome.ACHIEVED, goal.reason)
    assert goal.proof.digest == goal.verifier_digest
    assert goal.proof.verifier["type"] != "llm"
    assert events.broken_at(goal.pk) is None
    assert goal.sop_version.uses.get(goal_id=goal.pk).outcome == "achieved"


def test_the_train_booking_is_a_conversation(endpoint, submit, settle, owner, workspace):
    goal, asked = answer_all(submit("Book me a train", workspace=str(workspace)), owner, settle)
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert asked == ["origin", "destination", "date", "train", "confirmation"]
    assert ToolCall.objects.filter(goal=goal, tool="train_book", status="succeeded").count() == 1


def test_a_no_to_the_booking_books_nothing(endpoint, submit, settle, owner, workspace):
    goal = settle(submit("Book me a train", workspace=str(workspace)))
    while (goal := settle(goal)).status == GoalStatus.WAITING:
        question = Question.objects.open().get(goal=goal)
        said = "no" if question.kind == "confirmation" else ANSWERS["book-train"][question.key]
        answers.answer(owner, question.pk, question.suggestions[0] if said == "first" else said)
    assert (goal.status, goal.outcome) == (GoalStatus.FAILED, Outcome.UNACHIEVABLE)
    assert not ToolCall.objects.filter(goal=goal, tool="train_book").exists()


@pytest.mark.parametrize(
    ("objective", "report"),
    [
        (
            "Write an inventory of the Python modules in this folder: files, lines, public functions, "
            "missing docstrings",
            "python-inventory.md",
        ),
        ("Clean people.csv to JSON with a validation report", "validation-report.md"),
        ("Triage app.log: group the errors and count them", "log-triage.md"),
    ],
)
def test_the_real_jobs_find_their_procedure_and_write_their_report(
    objective, report, endpoint, submit, settle, workspace
):
    goal = settle(submit(objective, workspace=str(workspace)))
    assert (goal.status, goal.outcome) == (GoalStatus.COMPLETED, Outcome.ACHIEVED), goal.reason
    text = (workspace / report).read_text()
    wanted = {"python-inventory.md": "hello", "validation-report.md": "Age", "log-triage.md": "cannot reach"}
    assert wanted[report] in text


def test_a_report_that_says_something_else_does_not_complete_the_goal(endpoint, submit, settle, workspace, monkeypatch):
    from goals.tools.report import RenderReport

    original = RenderReport.run

    def spoilt(self, input, context):
        result = original(self, input, context)
        context.workspace.write_bytes("python-inventory.md", b"# Python inventory\n\nnothing\n")
        return result

    monkeypatch.setattr(RenderReport, "run", spoilt)
    goal = settle(submit("Write an inventory of the Python modules", sop="python-inventory", workspace=str(workspace)))
    assert goal.status == GoalStatus.FAILED


def test_a_use_tool_step_completes_by_the_key_that_it_declared(endpoint, submit, settle, workspace):
    goal = settle(submit("inventory", sop="python-inventory", workspace=str(workspace)))
    keys = [c.evidence_key for c in goal.checkpoints.order_by("position") if c.predicate == Predicate.USE_TOOL]
    made = [e.payload["name"] for e in goal.events.filter(kind="artifact.created").order_by("seq")]
    assert made == keys == ["modules", "report"]


def test_a_goal_without_a_procedure_is_searched_for_and_written_up(endpoint, submit, settle, workspace):
    goal = settle(submit("Who greets whom in hello and why?", workspace=str(workspace)))
    assert goal.sop_version is None
    assert goal.status == GoalStatus.COMPLETED, goal.reason
    assert json.dumps([c.title for c in goal.checkpoints.all()])


@pytest.mark.parametrize(
    "objective",
    [
        "What is the capital of France?",
        "Write a poem about spring into poem.txt",
        "Delete all files",
        "Explain the errors in my Python code",
        "Cancel my train",
        "Book a table at a restaurant",
    ],
)
def test_what_the_rehearsal_model_cannot_do_it_does_not_say_that_it_did(objective, endpoint, submit, settle, workspace):
    files = sorted(path.name for path in workspace.iterdir())
    goal = settle(submit(objective, workspace=str(workspace)))
    assert goal.status == GoalStatus.FAILED, goal.reason
    assert goal.outcome == "unachievable"
    assert goal.sop_version is None
    assert set(files) <= {path.name for path in workspace.iterdir()}
