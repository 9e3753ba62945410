"""What is a procedure and what is not."""

import pytest

from sops.exceptions import InvalidSop
from sops.schema import parse, references
from tests.sops.conftest import SEED


def test_the_seeds_form_is_read():
    spec = parse(SEED)
    assert spec.slug == "book-a-train-ticket"
    assert [(i.name, i.description, i.required) for i in spec.inputs] == [
        ("origin", "Where from", True),
        ("travelDate", "When", False),
    ]
    assert [step.predicate for step in spec.steps] == ["gather_info", "use_tool", "execute"]
    assert [step.evidence_key for step in spec.steps] == ["travelDate", "trainList", None]
    assert spec.steps[0].args == {"key": "travelDate", "prompt": "Gather the travel date"}
    assert spec.steps[1].args == {"tool": "train_search"}
    assert spec.steps[2].done_when[0].model_dump() == {"kind": "predicate_true", "predicate": "is cheap (eur: 9)"}
    assert spec.quality == {"rating": 0.9}


def test_what_is_written_out_reads_back_the_same():
    spec = parse(SEED)
    assert parse(spec.plain()) == spec
    assert parse(spec.plain()).digest() == spec.digest()


def test_a_step_that_asks_names_its_key_by_its_words(minimal):
    minimal["steps"] = ["Ask the user for the kind of tea"]
    assert parse(minimal).steps[0].args["key"] == "kind_of_tea"


def test_a_confirmation_leaves_evidence(minimal):
    minimal["steps"] = [{"gloss": "Drink it?", "predicate": "confirm"}]
    step = parse(minimal).steps[0]
    assert step.evidence_key == "confirmed"
    assert step.done_when[0].model_dump() == {"kind": "has_evidence", "key": "confirmed"}
    assert step.args == {"question": "Drink it?"}


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"title": None}, "title", "string"),
        ({"title": "  "}, "title", "at least 1 character"),
        ({"title": "x" * 201}, "title", "200"),
        ({"steps": []}, "steps", "at least 1"),
        ({"steps": ["x"] * 51}, "steps", "50"),
        ({"colour": "red"}, "colour", "allowed: slug, title"),
        ({"slug": "Not A Slug"}, "slug", "pattern"),
        ({"steps": [{"gloss": "x", "predicate": "fly"}]}, "steps.0.predicate", "'use_tool'"),
        ({"steps": [{"gloss": "x", "wings": 2}]}, "steps.0.wings", "allowed: title, gloss"),
        ({"steps": [{"gloss": "x", "predicate": "use_tool"}]}, "steps.0", "needs args"),
        ({"steps": [{"gloss": "x", "tools": ["t"], "args": {"input": []}}]}, "steps.0", "args.input must be an object"),
        ({"steps": [{"gloss": "x", "args": []}]}, "steps.0.args", "dictionary"),
        ({"steps": [{"gloss": "x", "done_when": [{"kind": "js"}]}]}, "steps.0.done_when.0", "has_evidence"),
        ({"steps": [{"gloss": "x", "evidence_key": "a b"}]}, "steps.0.evidence_key", "pattern"),
        ({"steps": [{"gloss": "x", "args": {"text": "y" * 30_000}}]}, "steps.0", "20000"),
        ({"steps": [{"gloss": "x", "args": {"data": {"a": ["@tea.0"]}}}]}, "(whole)", "@tea is not known there"),
        ({"inputs": [{"name": "a"}, {"name": "a"}]}, "(whole)", "'a' is given twice"),
        ({"intent": "nul \x00"}, "intent", "NUL"),
        ({"tags": ["well", "\ud800"]}, "tags.1", "surrogates"),
        ({"quality": {"a\x00": 1}}, "quality", "NUL"),
        ({"intent": "half \ud800"}, "intent", "surrogate"),
    ],
)
def test_what_is_wrong_is_named_with_its_field(minimal, change, field, said):
    with pytest.raises(InvalidSop) as caught:
        parse(minimal | change, source="tea.yaml")
    assert str(caught.value).startswith("tea.yaml: ")
    assert any(name == field and said in problem for name, problem in caught.value.problems), caught.value


@pytest.mark.parametrize("raw", [[], "text", None, 3])
def test_only_an_object_is_a_procedure(raw):
    with pytest.raises(InvalidSop, match="a procedure is an object"):
        parse(raw)


def test_evidence_is_known_from_the_step_that_leaves_it(minimal):
    minimal["steps"] = [
        {"gloss": "Pour", "evidence_key": "cup"},
        {"gloss": "Show", "predicate": "present_info", "args": {"data": "@cup.0.size"}},
    ]
    assert parse(minimal).steps[1].args == {"data": "@cup.0.size"}
    minimal["steps"].reverse()
    with pytest.raises(InvalidSop, match="@cup is not known there"):
        parse(minimal)


def test_only_whole_values_are_references():
    assert references({"a": "@x", "b": ["@y:2.path"], "c": "mail a@b.c", "d": "@@z", "e": "@ x", "@k": 1}) == {"x", "y"}
