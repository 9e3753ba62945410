"""Every procedure of the library, followed to its end with the real tools."""

import json

import pytest

from goals.tools import registry
from goals.tools.errors import ToolError
from goals.tools.workspace import Workspace
from goals.verifiers import spec as verifiers
from goals.verifiers.run import VerifierContext
from goals.verifiers.run import run as verify
from sops import importer
from tests.sops.conftest import LIBRARY
from tests.sops.follow import follow

CHECKED = importer.check([LIBRARY], known_tools=registry.own_names(), check_verifier=verifiers.parse)
SPECS = {spec.slug: spec for spec in CHECKED}
REPORTS = {
    "python-inventory": "python-inventory.md",
    "csv-to-json": "validation-report.md",
    "log-triage": "log-triage.md",
    "folder-overview": "folder-overview.md",
    "find-in-files": "find-in-files.md",
    "todo-report": "todo-report.md",
    "readme-check": "check-of-readme.md",
    "markdown-link-index": "link-index.md",
    "meeting-notes": "meeting-notes.md",
    "decision-record": "decision-record.md",
    "release-checklist": "release-checklist.md",
}
NEED_FILES = {"csv-to-json", "file-edit-with-approval", "find-in-files", "log-triage", "markdown-link-index"} | {
    "python-inventory",
    "todo-report",
}
MODULE = '"""A module."""\n\nimport os\n\n\ndef told():\n    """Told."""\n\n\ndef untold(a, b):\n    pass\n'
TABLE = "id;Name;Age\n1;Ann;30\n1;Ann;30\n;;\n2;Bob;x;extra\n3;Zoë;41\n"
LOG = (
    "2026-11-20 10:00:00 ERROR db Timeout after 31 s for user 17\n"
    "2026-11-20 10:05:00 INFO web started\n"
    "2026-11-20 11:00:00 ERROR db Timeout after 45 s for user 99\n"
    "2026-11-20 12:00:00 ERROR web broken\n"
    'Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: bad\n'
)
ANSWERS = {
    "csv_file": "people.csv",
    "origin": "London",
    "destination": "Paris",
    "date": "2026-12-01",
    "term": "needle",
    "subject": "Budget 2027",
    "meeting_date": "2026-11-20",
    "attendees": "Ann, Bob",
    "decisions": "Spend less",
    "actions": "Ann: write it up by Friday",
    "decision_title": "Use Postgres",
    "decision_context": "We need one store.",
    "decision": "Postgres, since it does all of it.",
    "consequences": "One thing to run.",
    "version": "1.4.0",
    "file": "notes.txt",
    "old_text": "colour",
    "new_text": "color",
}


@pytest.fixture
def folder(tmp_path):
    """A workspace with a bit of everything."""
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "one.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "pkg" / "broken.py").write_text("def (:\n", encoding="utf-8")
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "app.log").write_text(LOG, encoding="utf-8")
    (tmp_path / "README.md").write_text(
        "# Thing\n\nSee [guide](guide.md) and [gone](gone.md).\n\n## Installation\n\nTODO say how\n", encoding="utf-8"
    )
    (tmp_path / "guide.md").write_text("# Guide\n\nA needle in here.\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("the colour is red\n", encoding="utf-8")
    return tmp_path


def run(slug, folder, **known):
    answers = dict(ANSWERS)
    if slug == "book-train":
        answers["train"] = (
            registry.get("train_search")
            .run(registry.get("train_search").parse({k: ANSWERS[k] for k in ("origin", "destination", "date")}), None)
            .value["options"][1]
        )
    return follow(SPECS[slug], folder, answers, known)


def verdict(slug, folder, evidence):
    def artifact(name):
        return name in evidence, evidence.get(name), "data"

    return verify(SPECS[slug].verifier, VerifierContext(Workspace(folder), artifact))


def report(slug, folder, name, **known):
    run(slug, folder, **known)
    return (folder / name).read_text(encoding="utf-8")


def test_the_library_has_the_procedures_of_the_site():
    assert len(SPECS) >= 12
    assert all(
        spec.slug == path.stem for spec, path in zip(SPECS.values(), sorted(LIBRARY.glob("*.yaml")), strict=True)
    )


@pytest.mark.parametrize("slug", sorted(SPECS))
def test_each_runs_to_its_end_on_a_folder_with_a_bit_of_everything(slug, folder):
    run(slug, folder)


@pytest.mark.parametrize("slug", sorted(set(SPECS) - NEED_FILES))
def test_each_runs_to_its_end_in_an_empty_folder(slug, tmp_path):
    run(slug, tmp_path)


@pytest.mark.parametrize("slug", sorted(NEED_FILES))
def test_nothing_to_work_on_is_an_error_that_says_so(slug, tmp_path):
    with pytest.raises(ToolError, match=r"^There are no |No such file|does not exist"):
        run(slug, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_inventory_counts_modules_and_names_what_has_no_docstring(folder):
    text = report("python-inventory", folder, "python-inventory.md")
    assert "# Python inventory" in text
    assert "2 modules" in text
    assert "| `pkg/one.py` | 11 | 2 | 0 | 1 |" in text
    assert "untold" in text
    assert "does not parse" in text


def test_the_cleaned_table_is_json_and_no_row_is_lost(folder):
    text = report("csv-to-json", folder, "validation-report.md", csv_file="people.csv")
    records = json.loads((folder / "cleaned.json").read_text(encoding="utf-8"))
    assert [record["name"] for record in records] == ["Ann", "Zoë"]
    assert "2 records kept of 5 rows read" in text
    assert "1 bad, 1 blank, 1 duplicate" in text


def test_the_csv_file_is_asked_with_the_files_that_are_there(folder):
    asked = run("csv-to-json", folder).asked
    assert [question["suggestions"] for question in asked] == [["people.csv"]]
    assert run("csv-to-json", folder, csv_file="people.csv").asked == []


def test_the_triage_groups_errors_that_differ_in_numbers_only(folder):
    text = report("log-triage", folder, "log-triage.md")
    assert "**3 errors of 2 kinds**" in text
    assert "2026-11-20 10:00:00" in text
    assert "ValueError: bad" in text


def test_a_train_is_booked_by_conversation(folder):
    walk = run("book-train", folder)
    assert [question.get("key", "confirm") for question in walk.asked] == [
        "origin",
        "destination",
        "date",
        "train",
        "confirm",
    ]
    assert len(walk.asked[3]["suggestions"]) == 3
    assert walk.evidence["train"].startswith(walk.evidence["booking"]["train"])
    assert walk.shown[-1]["data"] == walk.evidence["booking"]


def test_what_the_goal_says_is_not_asked(folder):
    walk = run("book-train", folder, origin="London", destination="Paris", date="2026-12-01")
    assert [question.get("key", "confirm") for question in walk.asked] == ["train", "confirm"]


def test_the_overview_counts_kinds_and_quotes_documents(folder):
    text = report("folder-overview", folder, "folder-overview.md")
    assert "| .py | 2 |" in text
    assert "### guide.md" in text


def test_the_readme_check_says_what_is_missing(folder):
    text = report("readme-check", folder, "check-of-readme.md")
    assert "| Installation | yes, README.md line 5 |" in text
    assert "| Licence | **missing** |" in text
    (folder / "README.md").unlink()
    assert "There is no README" in report("readme-check", folder, "check-of-readme.md")


def test_searches_report_file_and_line(folder):
    assert "### guide.md" in report("find-in-files", folder, "find-in-files.md")
    assert "TODO say how" in report("todo-report", folder, "todo-report.md")


def test_a_second_run_does_not_find_its_own_report(folder):
    first = report("todo-report", folder, "todo-report.md")
    assert report("todo-report", folder, "todo-report.md") == first
    first = report("find-in-files", folder, "find-in-files.md")
    assert report("find-in-files", folder, "find-in-files.md") == first


def test_broken_links_are_told(folder):
    assert "**1 broken link**" in report("markdown-link-index", folder, "link-index.md")


def test_what_people_said_is_written_down(folder):
    assert "# Meeting notes: Budget 2027" in report("meeting-notes", folder, "meeting-notes.md")
    assert "Postgres, since it does all of it." in report("decision-record", folder, "decision-record.md")
    assert "| Way back tested | yes |" in report("release-checklist", folder, "release-checklist.md")


def test_an_approved_edit_is_made_and_shown(folder):
    walk = run("file-edit-with-approval", folder)
    assert (folder / "notes.txt").read_text(encoding="utf-8") == "the color is red\n"
    assert "+the color is red" in walk.shown[-1]["data"]


@pytest.mark.parametrize("slug", sorted(SPECS))
def test_every_declared_output_is_left_behind(slug, folder):
    assert {output.name for output in SPECS[slug].outputs} <= set(run(slug, folder).evidence)


@pytest.mark.parametrize("slug", sorted(SPECS))
def test_every_input_of_a_tool_is_one_that_the_tool_has(slug):
    for step in SPECS[slug].steps:
        if step.tool:
            tool = registry.get(step.tool)
            assert set(step.args["input"]) <= set(tool.fields())
            assert set(tool.required()) <= set(step.args["input"])


@pytest.mark.parametrize("slug", sorted(SPECS))
def test_each_is_proved_by_its_own_verifier_without_a_model(slug, folder):
    found = verdict(slug, folder, run(slug, folder).evidence)
    assert found.met, found


@pytest.mark.parametrize("slug", sorted(set(SPECS) - NEED_FILES))
def test_each_is_proved_in_an_empty_folder_too(slug, tmp_path):
    found = verdict(slug, tmp_path, run(slug, tmp_path).evidence)
    assert found.met, found


@pytest.mark.parametrize("slug", sorted(SPECS))
def test_nothing_is_proved_before_the_work(slug, folder):
    run(slug, folder)
    assert not verdict(slug, folder, {}).met, "a report of an earlier run proves nothing"


@pytest.mark.parametrize("slug", sorted(REPORTS))
@pytest.mark.parametrize("spoil", ["", "# Something else\n"])
def test_a_report_that_is_spoilt_proves_nothing(slug, folder, spoil):
    evidence = run(slug, folder).evidence
    (folder / REPORTS[slug]).write_text(spoil, encoding="utf-8")
    assert not verdict(slug, folder, evidence).met


@pytest.mark.parametrize(
    ("slug", "name", "old", "new"),
    [
        ("python-inventory", "python-inventory.md", "2 modules", "3 modules"),
        ("csv-to-json", "cleaned.json", "[", '[{"id": 9},'),
        ("csv-to-json", "validation-report.md", "**2 records", "**5 records"),
        ("log-triage", "log-triage.md", "**3 errors", "**1 errors"),
        ("folder-overview", "folder-overview.md", "7 files in", "8 files in"),
        ("find-in-files", "find-in-files.md", "**1 match", "**0 match"),
        ("todo-report", "todo-report.md", "**1 match", "**0 match"),
        ("markdown-link-index", "link-index.md", "2 links", "7 links"),
        ("release-checklist", "release-checklist.md", "| Tests pass | yes |", "| Tests pass | no |"),
    ],
)
def test_counts_that_disagree_with_the_evidence_prove_nothing(slug, name, old, new, folder):
    evidence = run(slug, folder).evidence
    path = folder / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert not verdict(slug, folder, evidence).met
