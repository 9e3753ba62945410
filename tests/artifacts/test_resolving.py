"""References against the database: values, lineage, trust, errors."""

import pytest

from artifacts.references import UnknownPath, UnknownReference
from artifacts.resolving import NotAValue
from artifacts.services import create_context, resolve_references

pytestmark = pytest.mark.django_db


def test_references_are_replaced_and_their_artifacts_named(make, namespace):
    first = make("trains", [{"id": "T1"}, {"id": "T2"}])
    make("trains", [])
    origin = make("origin", "Oslo", trust="person")
    value = {"train": "@trains:1.1.id", "all": "@trains:1", "from": ["@origin", "@@origin"], "to": "a@b.c"}
    resolved = resolve_references(namespace, value)
    assert resolved.value == {
        "train": "T2",
        "all": [{"id": "T1"}, {"id": "T2"}],
        "from": ["Oslo", "@origin"],
        "to": "a@b.c",
    }
    assert set(resolved.sources) == {first, origin}
    assert resolved.trust == "person"


def test_a_value_without_references_asks_the_database_nothing(namespace, django_assert_num_queries):
    with django_assert_num_queries(0):
        resolved = resolve_references(namespace, {"a": ["@@x", "b@c"]})
    assert resolved.value == {"a": ["@x", "b@c"]}
    assert (resolved.sources, resolved.trust) == ((), "trusted")


def test_any_number_of_latest_references_is_one_statement(make, namespace, django_assert_num_queries):
    for name in "abc":
        make(name)
    with django_assert_num_queries(1):
        resolve_references(namespace, ["@a", {"b": "@b", "c": ["@c", "@a"]}])


@pytest.mark.parametrize("value", [0, False, "", None])
def test_empty_values_are_values(make, namespace, value):
    make("empty", value)
    assert resolve_references(namespace, {"x": "@empty"}).value == {"x": value}


def test_values_that_look_like_references_are_left_alone(make, namespace):
    make("hostile", ["@secret", {"a": "@@b"}])
    make("secret", "s")
    assert resolve_references(namespace, "@hostile").value == ["@secret", {"a": "@@b"}]


@pytest.mark.parametrize("reference", ["@opitons", "@options:2", "@options:0", "@options:99999999999999999.a"])
def test_an_unknown_reference_names_itself_and_what_there_is(make, namespace, reference):
    make("options")
    with pytest.raises(UnknownReference, match=rf"no artifact {reference}; artifacts: @options"):
        resolve_references(create_context(parent=namespace), {"a": [reference]})


def test_an_unknown_path_names_its_segment(make, namespace):
    make("options", {"first": 1})
    with pytest.raises(UnknownPath, match=r"@options\.second: no 'second': its keys are first"):
        resolve_references(namespace, ["@options.second"])


def test_large_values_come_from_their_blobs_and_bytes_become_texts(make, namespace):
    make("large", {"rows": list(range(30_000))})
    make("notes", blob="né".encode(), type="file", media_type="text/plain")
    assert resolve_references(namespace, ["@large.rows.29999", "@notes"]).value == [29_999, "né"]


def test_bytes_that_are_no_text_have_no_value(make, namespace):
    make("picture", blob=b"\xff\xd8", type="file", media_type="image/jpeg")
    with pytest.raises(NotAValue, match="@picture holds 2 bytes of image/jpeg"):
        resolve_references(namespace, "@picture")
