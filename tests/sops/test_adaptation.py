"""A procedure becomes a plan."""

import pytest

from sops.adaptation import adapt
from sops.exceptions import NotAdaptable
from sops.schema import parse
from tests.sops.conftest import SEED

TOOLS = {"train_search"}


def spec(**changes):
    return parse(SEED | changes)


def test_a_required_input_that_nothing_gives_is_asked_first():
    steps = adapt(spec(), set(), TOOLS, "Go to Rome")
    assert [step.predicate for step in steps] == ["gather_info", "gather_info", "use_tool", "execute"]
    asked = steps[0]
    assert asked.args == {"key": "origin", "prompt": "Where from"}
    assert asked.done_when == ({"kind": "has_evidence", "key": "origin"},)
    assert asked.evidence_key == "origin"
    assert [step.step for step in steps] == [None, 0, 1, 2]


def test_what_is_known_is_not_asked():
    assert [step.step for step in adapt(spec(), {"origin"}, TOOLS)] == [0, 1, 2]


def test_what_an_own_step_gathers_is_not_asked_twice():
    steps = adapt(spec(inputs=[{"name": "travelDate"}]), set(), TOOLS)
    assert [step.args.get("key") for step in steps] == ["travelDate", None, None]


def test_each_step_keeps_what_it_declares():
    found = adapt(spec(), {"origin"}, TOOLS)[1]
    assert (found.predicate, found.evidence_key, found.tools) == ("use_tool", "trainList", ("train_search",))
    assert found.args == {"tool": "train_search"}
    assert found.done_when == ({"kind": "has_evidence", "key": "trainList"},)
    assert found.success_criteria == "@trainList is known"


def test_a_tool_that_is_called_must_exist():
    with pytest.raises(NotAdaptable, match=r"book-a-train-ticket needs tools .*: train_search"):
        adapt(spec(), set(), {"kettle"})


def test_a_tool_that_is_only_suggested_may_be_missing():
    steps = [{"gloss": "Look around", "predicate": "execute", "tools": ["kettle", "radar"]}]
    assert adapt(spec(steps=steps), {"origin"}, {"kettle"})[0].tools == ("kettle",)


def test_an_optional_input_stands_for_its_default_until_it_is_given():
    inputs = [{"name": "folder", "required": False, "default": "."}]
    steps = [{"gloss": "List", "tools": ["list_files"], "args": {"input": {"path": "@folder", "all": ["@folder"]}}}]
    known = {"list_files"}
    assert adapt(spec(inputs=inputs, steps=steps), set(), known)[0].args["input"] == {"path": ".", "all": ["."]}
    assert adapt(spec(inputs=inputs, steps=steps), {"folder"}, known)[0].args["input"]["path"] == "@folder"


def test_suggestions_of_an_input_reach_its_question():
    inputs = [{"name": "size", "prompt": "Which size?", "suggestions": ["S", "L"]}]
    assert adapt(spec(inputs=inputs), set(), TOOLS)[0].args == {
        "key": "size",
        "prompt": "Which size?",
        "suggestions": ["S", "L"],
    }
