"""The grammar of references. Pure: no database."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.references import (
    Reference,
    UnknownPath,
    UnknownReference,
    escape,
    find,
    parse,
    resolve,
)
from tests.artifacts.values import json_values, nested, scalars

VALUES = {"x": {"a": [10, {"k": None}], "0": "zero", "no": False}, "zero": 0, "empty": "", "nothing": None, "at": "@x"}


def from_values(reference):
    return VALUES[reference.name]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@x", Reference("x")),
        ("@x.a.0.k", Reference("x", ("a", "0", "k"))),
        ("@x:2", Reference("x", (), 2)),
        ("@x:2.a", Reference("x", ("a",), 2)),
        ("@x:0", Reference("x", (), 0)),
        ("@_private-name_2", Reference("_private-name_2")),
        ("@prénom.ñ", Reference("prénom", ("ñ",))),
    ],
)
def test_a_text_that_is_only_a_reference_is_one_and_writes_itself_again(text, expected):
    assert parse(text) == expected
    assert str(expected) == text


@pytest.mark.parametrize(
    "text",
    ["", "@", "@@", "@@x", "@ alone", "@x ", " @x", "@x\n", "mail a@b.c", "@1st", "@x.", "@x..a", "@x:", "@x:one",
     "@x.a:2", "@x y", "see @x", "@x, @y", "@-x", "@x:٣", "@" + "x" * 101],
)  # fmt: skip
def test_any_other_text_is_literal(text):
    assert parse(text) is None
    assert find([text]) == ()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("@zero", 0),
        ("@empty", ""),
        ("@nothing", None),
        ("@x.no", False),
        ("@x.a.1.k", None),
        ("@x.a.0", 10),
        ("@x.0", "zero"),
        ("@at", "@x"),
        ("@@x", "@x"),
        ("@@@x", "@@x"),
        ("@@", "@"),
        ("@", "@"),
    ],
)
def test_references_select_and_escapes_lose_one_sign(text, value):
    assert resolve(text, from_values) == value
    assert resolve({"deep": [{"er": text}]}, from_values) == {"deep": [{"er": value}]}


def test_object_keys_are_never_references():
    assert resolve({"@x": "@zero"}, from_values) == {"@x": 0}
    assert find({"@x": "@zero"}) == (Reference("zero"),)


def test_an_unknown_reference_names_itself_and_what_there_is():
    with pytest.raises(UnknownReference, match=r"no artifact @opitons:3\.a; artifacts: @budget, @options") as caught:
        resolve(["@opitons:3.a"], from_values, known=lambda: ["options", "budget"])
    assert caught.value.reference == Reference("opitons", ("a",), 3)


def test_an_unknown_reference_lists_a_bounded_number_of_names():
    message = str(UnknownReference(Reference("x"), [f"name_{number:04}" for number in range(5000)]))
    assert "and 4980 more" in message
    assert len(message) < 1000


@pytest.mark.parametrize(
    ("text", "segment", "says"),
    [
        ("@x.b", "b", "its keys are a, 0, no"),
        ("@x.a.2", "2", "a list of 2, counted from 0"),
        ("@x.a.-1", "-1", "a list of 2"),
        ("@x.a.k", "k", "a list of 2"),
        ("@x.a.²", "²", "a list of 2"),
        ("@x.a.0.k", "k", "neither an object nor a list"),
        ("@empty.a", "a", "neither an object nor a list"),
    ],
)
def test_a_path_that_does_not_exist_names_the_segment(text, segment, says):
    with pytest.raises(UnknownPath, match=says) as caught:
        resolve(text, from_values)
    assert caught.value.segment == segment
    assert text in str(caught.value)


@pytest.mark.parametrize("text", ["@x.a." + "1" * 5000, "@unknown" + ".part" * 5000])
def test_a_long_reference_does_not_make_a_long_message(text):
    with pytest.raises((UnknownPath, UnknownReference)) as caught:
        resolve(text, from_values)
    assert len(str(caught.value)) < 600


def test_the_lookups_own_errors_pass_through():
    own = UnknownReference(Reference("x"), ["y"])

    def refuse(reference):
        raise own

    with pytest.raises(UnknownReference) as caught:
        resolve("@x", refuse, known=lambda: pytest.fail("asked for nothing"))
    assert caught.value is own


def test_find_lists_each_reference_once_in_reading_order():
    value = {"b": ["@two", {"c": "@one.a"}, "@two"], "a": "@one", "d": "@@one"}
    assert find(value) == (Reference("two"), Reference("one", ("a",)), Reference("one"))


def test_nesting_has_no_limit():
    value = "@zero"
    for _ in range(20_000):
        value = [value]
    assert find(value) == (Reference("zero"),)
    found = resolve(value, from_values)
    while isinstance(found, list):
        (found,) = found
    assert found == 0


@given(json_values)
def test_an_escaped_value_resolves_to_itself(value):
    assert find(escape(value)) == ()
    assert resolve(escape(value), from_values) == value


@given(nested(scalars.filter(lambda leaf: not isinstance(leaf, str) or leaf[:1] != "@")))
def test_a_value_without_references_stays_as_it_is(value):
    once = resolve(value, from_values)
    assert once == value
    assert resolve(once, from_values) == once


@given(st.lists(st.sampled_from(["list", "object"]), max_size=40), json_values)
def test_a_reference_is_found_at_any_depth_and_its_value_is_not_searched(path, content):
    value, expected = "@it", content
    for kind in path:
        value = ["@@", value] if kind == "list" else {"@it": value}
        expected = ["@", expected] if kind == "list" else {"@it": expected}
    assert find(value) == (Reference("it"),)
    assert resolve(value, {Reference("it"): content}.__getitem__) == expected


@given(json_values)
def test_resolving_never_changes_what_it_was_given(value):
    before = repr(value)
    resolve(escape(value), from_values)
    assert repr(value) == before
