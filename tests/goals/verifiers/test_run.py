"""Verdicts: met, not met, and broken are three different things."""

import dataclasses
import json

import pytest

from goals.verifiers.fingerprint import fingerprint
from goals.verifiers.run import run
from goals.verifiers.summary import summary_line


def test_a_file_holds_a_text(context, root):
    spec = {"type": "data", "path": "r.md", "contains": "# Python"}
    missing = run(spec, context)
    assert (missing.met, missing.error) == (False, "")
    assert "no file r.md" in missing.reason
    (root / "r.md").write_text("# Python modules")
    assert run(spec, context).met is True


def test_a_file_outside_the_workspace_breaks_the_verifier(context, root):
    (root.parent / "r.md").write_text("x")
    verdict = run({"type": "data", "path": "../r.md", "contains": "x"}, context)
    assert verdict.met is False
    assert "'..' is not allowed" in verdict.error


def test_an_expression_over_a_file_and_another_artifact(context, root, artifacts):
    spec = {"type": "data", "path": "t.json", "expr": "len(data) == artifact('table')['record_count']"}
    (root / "t.json").write_text(json.dumps([1, 2]))
    missing = run(spec, context)
    assert (missing.met, missing.error, missing.reason) == (False, "", "There is no artifact @table.")
    artifacts["table"] = {"record_count": 2}
    assert run(spec, context).met is True
    artifacts["table"] = {"record_count": 3}
    assert run(spec, context).met is False


def test_a_file_that_is_no_json_is_not_met_when_it_should_be(context, root):
    (root / "t.json").write_text("{")
    (root / "t.md").write_text("text")
    assert "not JSON" in run({"type": "data", "path": "t.json", "expr": "data"}, context).reason
    assert run({"type": "data", "path": "t.md", "expr": "'ex' in data"}, context).met is True


@pytest.mark.parametrize("value", [0, False, "", None, []])
def test_an_artifact_that_is_nothing_much_is_there(context, artifacts, value):
    assert run({"type": "artifact", "name": "a"}, context).met is False
    artifacts["a"] = value
    assert run({"type": "artifact", "name": "a"}, context).met is True
    assert run({"type": "artifact", "name": "a", "exists": False}, context).met is False


def test_an_artifact_fits_a_schema(context, artifacts):
    schema = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
    spec = {"type": "artifact", "name": "a", "json_schema": schema}
    artifacts["a"] = {"id": "x"}
    verdict = run(spec, context)
    assert (verdict.met, verdict.error) == (False, "")
    assert "id: 'x' is not of type 'integer'" in verdict.reason
    artifacts["a"] = {"id": 1}
    assert run(spec, context).met is True


def test_a_command_decides_by_its_exit_code(context, root):
    (root / "f").touch()
    verdict = run({"type": "command", "command": "test -f f"}, context)
    assert (verdict.met, verdict.details["exit_code"]) == (True, 0)
    assert verdict.details["isolation"]
    assert run({"type": "command", "command": "test -f g"}, context).met is False


def test_a_command_that_takes_too_long_is_not_met(context):
    verdict = run({"type": "command", "command": "sleep 60", "timeout": 0.5}, context)
    assert verdict.met is False
    assert "did not end within 0.5 s" in verdict.reason
    assert verdict.seconds < 10


def test_tests_are_told_by_their_summary(context, root):
    (root / "test_x.py").write_text("def test_a(): pass\ndef test_b(): assert 0\n")
    verdict = run({"type": "test", "command": "python -m pytest -q -p no:cacheprovider"}, context)
    assert verdict.met is False
    assert "1 failed, 1 passed" in verdict.reason


def test_evidence_is_the_tail_of_what_was_written(context):
    verdict = run({"type": "command", "command": "seq 100000"}, context)
    assert len(verdict.evidence) <= 2000
    assert verdict.evidence.endswith("100000\n")


def test_a_judge_decides_and_its_absence_breaks_the_verifier(context):
    assert run({"type": "llm", "condition": "good"}, context).error
    judged = dataclasses.replace(context, judge=lambda condition: (condition == "good", 0.8, "fine", "seen"))
    verdict = run({"type": "llm", "condition": "good"}, judged)
    assert (verdict.met, verdict.score, verdict.reason, verdict.evidence) == (True, 0.8, "fine", "seen")


YES = {"type": "artifact", "name": "a"}
NO = {"type": "artifact", "name": "b"}
BROKEN = {"type": "llm"}


@pytest.mark.parametrize(
    ("kind", "of", "met", "broken"),
    [
        ("all", [YES, YES], True, False),
        ("all", [YES, NO], False, False),
        ("all", [NO, BROKEN], False, False),
        ("all", [YES, BROKEN], False, True),
        ("any", [NO, YES], True, False),
        ("any", [NO, NO], False, False),
        ("any", [BROKEN, YES], True, False),
        ("any", [NO, BROKEN], False, True),
    ],
)
def test_verifiers_are_combined(context, artifacts, kind, of, met, broken):
    artifacts["a"] = 1
    verdict = run({"type": kind, "of": of}, context)
    assert (verdict.met, bool(verdict.error)) == (met, broken)


def test_a_broken_verifier_is_never_met(context, artifacts):
    artifacts["a"] = {"x": 1}
    verdict = run({"type": "data", "artifact": "a", "expr": "data['y'] == 1"}, context)
    assert verdict.met is False
    assert "no key 'y'" in verdict.error


def test_the_fingerprint_knows_the_same_failure_again():
    first = "FAILED in 0.12s at 0x7f12ab, /tmp/pytest-1/x, 2026-11-21 10:00:00, pid 12, id deadbeef12345678"
    again = "FAILED in 3.40s at 0x7f99cd, /tmp/pytest-2/y, 2026-11-22 11:01:02, pid 99, id 0123456789abcdef"
    assert fingerprint(False, first) == fingerprint(False, again)
    assert fingerprint(False, "3 failed") != fingerprint(False, "2 failed")
    assert fingerprint(False, "x") != fingerprint(True, "x")


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("...\n===== 2 failed, 3 passed in 0.12s =====\n", "2 failed, 3 passed in 0.12s"),
        ("Ran 3 tests in 0.001s\n\nOK\n", "OK"),
        ("test result: ok. 3 passed; 0 failed\n\n", "test result: ok. 3 passed; 0 failed"),
        ("nothing known\nlast\n", "last"),
        ("", ""),
    ],
)
def test_the_summary_line_is_found(output, line):
    assert summary_line(output) == line


def test_a_file_too_large_to_be_read_breaks_the_verifier_instead_of_failing_it(context, root, monkeypatch):
    monkeypatch.setattr("goals.verifiers.run.MAX_DOCUMENT", 10)
    (root / "t.json").write_text("[" + "1," * 20 + "1]")
    verdict = run({"type": "data", "path": "t.json", "expr": "len(data) == 21"}, context)
    assert "larger than 10 bytes" in verdict.error
