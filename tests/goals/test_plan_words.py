"""Proposed plans in words."""

import pytest

from goals.plan_words import Proposal, Step, verifier_in_words
from tests.goals.test_plan_approval import step


def told(**fields):
    return Step(1, step("Survey", **fields))


def test_a_step_says_what_it_does_with_what_and_how_it_is_known_to_be_done():
    call = told(
        predicate="use_tool",
        args={"tool": "read_file", "input": {"path": "a.md"}},
        operation=None,
        done_when=[
            {"kind": "has_evidence", "key": "report"},
            {"kind": "predicate_true", "predicate": "it has 3 parts"},
        ],
    )
    assert (call.does, call.tools, call.operation, call.says) == ("Uses one tool", ["read_file"], "", None)
    assert '"path": "a.md"' in call.input
    assert call.checks == ["@report is there", "it has 3 parts"]
    work = told(operation="search", tools=["web_fetch"], args={"instructions": "Look in the shed."})
    assert (work.does, work.tools, work.input) == ("Looks things up", ["web_fetch"], "")
    assert work.says == ("instructions", "Instructions", "Look in the shed.")


def test_a_step_that_does_not_say_how_far_it_reaches_may_do_any_kind_of_work():
    assert (told(operation=None).operation, told(operation=None).does) == ("write", "Works with tools")


def test_what_a_step_is_to_do_is_not_told_twice():
    call = told(predicate="use_tool", args={"tool": "read_file", "input": {}}, tools=["read_file"], operation=None)
    assert call.tools == ["read_file"]
    assert told(description="Survey.", args={"instructions": "Survey."}).says is None
    assert told(args={}).says is None


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"type": "llm", "condition": "three names"}, "a judge finds: three names"),
        ({"type": "artifact", "name": "poem"}, "@poem is there"),
        ({"type": "artifact", "name": "poem", "exists": False}, "@poem is not there"),
        ({"type": "data", "path": "a.md", "contains": "Summary"}, "a.md contains “Summary”"),
        ({"type": "data", "artifact": "poem", "expr": "len(data) > 3"}, "of @poem: len(data) > 3"),
        ({"type": "command", "command": "make test"}, "the command succeeds: make test"),
        (
            {"type": "any", "of": [{"type": "artifact", "name": "a"}, {"type": "artifact", "name": "b"}]},
            "@a is there or @b is there",
        ),
        ({"type": "plugin", "plugin": "garden:grown"}, '{"type": "plugin", "plugin": "garden:grown"}'),
    ],
)
def test_a_verifier_in_a_line(spec, words):
    assert verifier_in_words(spec) == words


def test_a_proposal_says_whose_it_is():
    procedure = Proposal(1, {"checkpoints": [], "notes": "", "source": {"source": "sop", "sop": "book-train"}})
    outside = Proposal(2, {"checkpoints": [], "notes": "", "source": {"source": "model", "untrusted": True}})
    assert (procedure.source, procedure.untrusted) == ("procedure book-train", False)
    assert (outside.source, outside.untrusted) == ("the model", True)
