"""Bad input at the command line: refused by the field's name, with 64, and nothing half-made is left behind."""

import os

import pytest
from django.core.management import call_command

from goalsite.login_once import operator

DEEP = '{"type":"all","of":[' * 40 + '{"type":"llm"}' + "]}" * 40
CASES = {
    "an objective that is empty, and all limits at once": (
        [
            *["", "--limit", "cost_usd=-1", "--limit", "tokens=0", "--limit", "seconds=soon", "--limit", "gold=1"],
            *["--limit", "model_calls=1.5", "--sop", "no-such", "--verifier", '{"type": "magic"}'],
        ],
        {
            "objective": "must not be empty",
            "limits.cost_usd": "must be a number above 0",
            "limits.tokens": "must be a whole number above 0",
            "limits.seconds": "'soon' is no number; must be a number above 0",
            "limits.gold": "unknown; allowed are model_calls, tokens, cost_usd, seconds",
            "limits.model_calls": "must be a whole number above 0",
            "sop": "there is no active procedure 'no-such'; there are: book-train, csv-to-json",
            "verifier.type": "magic",
        },
    ),
    "an objective that is too long, and limits that are no numbers": (
        ["x" * 100_000, "--limit", "cost_usd=NaN", "--limit", "tokens=Infinity", "--limit", "seconds=1e40"],
        {
            "objective": "has 100000 characters; at most 20000 are allowed",
            "limits.cost_usd": "must be a number above 0",
            "limits.tokens": "must be a whole number above 0",
            "limits.seconds": "must be a number above 0",
        },
    ),
    "bytes that are no text, everywhere": (
        [
            os.fsdecode(b"do \xff it"),
            "--sop",
            os.fsdecode(b"\xfe"),
            "--verifier",
            '{"type": "llm", "condition": "\\u0000"}',
        ],
        {"objective": "NUL character or a lone surrogate", "sop": "there is no active procedure", "verifier": ""},
    ),
    "a field that the verifier does not have": (
        ["Do it", "--verifier", '{"type": "data", "path": "a.md", "containz": "b"}'],
        {"verifier.containz": "unknown field"},
    ),
    "a verifier that is no object": (["Do it", "--verifier", "[1]"], {"verifier": "must be an object like"}),
    "a verifier that is nested too deep": (["Do it", "--verifier", DEEP], {"verifier": ""}),
    "a verifier that is no JSON": (["Do it", "--verifier", "{"], {"--verifier": "is no JSON"}),
    "a limit without an amount": (["Do it", "--limit", "cost_usd"], {"--limit": "'cost_usd' must be key=value"}),
    "a limit given twice": (
        ["Do it", "--limit", "tokens=1", "--limit", "tokens=2"],
        {"--limit": "'tokens' is given twice"},
    ),
    "answers for keys that nobody asks for": (
        ["Do it", "--sop", "book-train", "--answer", "colour=red", "--answer", "a b=c"],
        {
            "answer.colour": "nobody asks for this key; keys that are asked for: confirmation, date, destination",
            "answer.a b": "nobody asks for this key",
        },
    ),
    "a workspace that is not there": (["Do it", "--workspace", "/nowhere/at/all"], {"workspace": "is no folder"}),
}


FIRST = next(iter(CASES))


def told(error: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in error.splitlines())


def matches(found: dict[str, str], expected: dict[str, str]) -> bool:
    return set(found) == set(expected) and all(text in found[field] for field, text in expected.items())


@pytest.fixture
def procedures(db):
    call_command("load_sops", verbosity=0)
    operator()


@pytest.mark.parametrize("case", CASES)
def test_it_is_refused_by_name_and_nothing_is_left_behind(case, procedures, run_here, rows):
    words, expected = CASES[case]
    before = rows()
    code, out, error = run_here("goal", *words, "--json")
    assert (code, out) == (64, "")
    assert matches(told(error), expected), error
    assert rows() == before


def test_a_process_ends_with_64_and_asks_no_model(manage, rows, model):
    words, expected = CASES[FIRST]
    before = rows()
    ran = manage("goal", *words, "--json")
    assert (ran.returncode, ran.stdout) == (64, "")
    assert matches(told(ran.stderr), expected), ran.stderr
    assert (rows(), model.requests) == (before, [])


def test_a_backup_that_is_not_there_is_wrong_usage(run_here, tmp_path):
    assert run_here("restore", str(tmp_path / "none"))[::2] == (64, f"file: there is no file {tmp_path / 'none'}\n")
