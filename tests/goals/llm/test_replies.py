"""Typed replies: closed, bounded, and asked for in a form that endpoints accept."""

import json

import jsonschema
import pytest

from goals.llm.parsing import parse
from goals.llm.replies import REPLIES
from goals.llm.schemas import instructions, is_strict, response_format, schema_for
from goals.llm.shapes import OperationName, PredicateName
from goals.states import Operation, Predicate

STRICT = {"atomize", "gather_question", "check_condition", "judge_outcome", "summarise_context", "evaluate_progress"}
CHECKPOINT = {"title": "List", "description": "d", "success_criteria": "s", "predicate": "execute"}


def nodes(schema):
    yield schema
    for below in [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]:
        yield from nodes(below)
    if isinstance(schema.get("items"), dict):
        yield from nodes(schema["items"])


@pytest.mark.parametrize("name", sorted(REPLIES))
def test_every_schema_is_sound_closed_and_free_of_references(name):
    schema = schema_for(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "$ref" not in json.dumps(schema)
    assert schema["additionalProperties"] is False
    assert name in instructions(name, "prompt")


def test_strict_is_claimed_exactly_where_it_can_be_kept():
    assert {name for name in REPLIES if is_strict(name)} == STRICT


@pytest.mark.parametrize("name", sorted(STRICT))
def test_a_strict_schema_requires_every_field_and_uses_no_unsupported_word(name):
    sent = response_format(name)["json_schema"]
    assert sent["strict"] is True
    for node in nodes(sent["schema"]):
        assert not node.keys() & {"default", "minLength", "maxLength", "title", "oneOf", "$ref"}
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert sorted(node["required"]) == sorted(node["properties"])


def test_predicates_and_operations_are_those_of_the_states():
    assert set(PredicateName.__args__) == set(Predicate.values)
    assert set(OperationName.__args__) == set(Operation.values)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"predicate": "fly"}, "checkpoints[0].predicate"),
        ({"surprise": 1}, "checkpoints[0].surprise"),
        ({"title": ""}, "checkpoints[0].title"),
        ({"title": "x" * 301}, "checkpoints[0].title"),
        ({"evidence_key": "my key"}, "checkpoints[0].evidence_key"),
        ({"done_when": [{"kind": "hasEvidence", "key": "k"}]}, "has_evidence"),
        ({"done_when": [{"kind": "after", "at": "2030-01-01T00:00:00"}]}, "offset"),
        ({"done_when": [{"kind": "after", "at": "tomorrow"}]}, "done_when[0].at"),
        ({"args": []}, "checkpoints[0].args"),
    ],
)
def test_a_plan_that_does_not_fit_is_a_problem_that_names_the_place(change, told):
    value, problem = parse("plan_checkpoints", json.dumps({"checkpoints": [CHECKPOINT | change], "reasoning": ""}))
    assert value is None
    assert told in problem


def test_blank_optional_fields_are_nothing_and_conditions_keep_their_canonical_form():
    conditions = [
        {"kind": "has_evidence", "key": "k"},
        {"kind": "predicate_true", "predicate": "it rains"},
        {"kind": "verifier", "verifier": {"type": "artifact", "name": "k"}},
        {"kind": "after", "at": "2030-01-01T00:00:00+00:00"},
    ]
    draft = CHECKPOINT | {"operation": "", "evidence_key": " ", "done_when": conditions}
    value, problem = parse("plan_checkpoints", json.dumps({"checkpoints": [draft], "reasoning": ""}))
    assert problem is None
    assert value.checkpoints[0].operation is None
    assert value.checkpoints[0].evidence_key is None
    assert [one.model_dump() for one in value.checkpoints[0].done_when] == conditions


@pytest.mark.parametrize("value", [0, False, "", None, [], {}])
def test_empty_values_of_outputs_are_values(value):
    output = {"name": "n", "type": "data", "description": "d", "value": value}
    parsed, problem = parse("act", json.dumps({"status": "done", "result": "", "outputs": [output]}))
    assert problem is None
    assert parsed.outputs[0].value == value
    assert type(parsed.outputs[0].value) is type(value)


@pytest.mark.parametrize("text", ["{" * 50_000, "[" * 50_000, '{"result": NaN}', "x{y", "```\n{}"])
def test_hostile_text_is_a_problem_and_never_an_error(text):
    value, problem = parse("aggregate", text)
    assert value is None
    assert 0 < len(problem) <= 4_000


def test_escapes_that_no_database_can_store_are_taken_out():
    value, problem = parse("aggregate", '{"result": "a\\u0000b\\ud800c", "outputs": []}')
    assert problem is None
    assert value.result == "abc"


def test_many_errors_are_told_in_a_few_lines():
    bad = {"checkpoints": [{"x": 1}] * 100, "reasoning": ""}
    assert "and 4" in parse("plan_checkpoints", json.dumps(bad))[1]
