"""Making artifacts: one statement, checked fields, trust and lineage."""

import uuid

import pytest
from django.db import connection

from artifacts import services, writing
from artifacts.exceptions import ContextTooDeep, InvalidArtifact, UncleanValue, UnknownContext, UnknownSource
from artifacts.models import Artifact, Context, Derivation
from artifacts.services import create_artifact, create_context
from artifacts.writing import INLINE_BYTES

pytestmark = pytest.mark.django_db


def test_creating_an_artifact_with_lineage_is_one_statement(make, django_assert_num_queries):
    sources = [make("a"), make("b")]
    with django_assert_num_queries(1):
        make("c", derived_from=sources)


def test_a_new_value_is_a_new_version(make):
    assert [make().version, make().version, make("other").version] == [1, 2, 1]


def test_what_is_returned_is_what_is_stored(make):
    source = make("source")
    made = make(value={"b": [1], "a": None}, purpose="to choose", metadata={"tool": "t"}, derived_from=[source.id])
    stored = Artifact.objects.get(id=made.id)
    fields = [field.attname for field in Artifact._meta.concrete_fields]
    assert {name: getattr(made, name) for name in fields} == {name: getattr(stored, name) for name in fields}
    assert list(stored.derived_from.all()) == [source]
    assert list(source.derived.all()) == [stored]


@pytest.mark.parametrize("value", [None, 0, False, "", [], {}, 0.0, {"a": None}])
def test_null_and_other_empty_values_are_values(make, value):
    made = make(value=value)
    stored = Artifact.objects.get(id=made.id)
    assert (made.content(), stored.content()) == (value, value)
    with connection.cursor() as cursor:
        cursor.execute("SELECT value IS NULL FROM artifacts_artifact WHERE id = %s", [made.id])
        assert cursor.fetchone() == (False,)


def test_a_large_value_goes_to_a_blob_by_itself_and_comes_back(make, data_dir):
    small, large = "é" * ((INLINE_BYTES - 2) // 2), "é" * ((INLINE_BYTES - 2) // 2 + 1)
    assert make(value=small).storage == "inline"
    assert not (data_dir / "artifacts").exists()
    stored = Artifact.objects.get(id=make(value={"a": large}).id)
    assert (stored.storage, stored.value, stored.media_type) == ("json", None, "application/json")
    assert stored.content() == {"a": large}


def test_bytes_are_kept_as_bytes(make):
    stored = Artifact.objects.get(id=make(blob=b"\0\xff", type="file", media_type="image/png").id)
    assert (stored.content(), stored.size, stored.shape, stored.media_type) == (b"\0\xff", 2, "2 bytes", "image/png")
    assert Artifact.objects.get(id=make(blob=b"").id).content() == b""


def test_what_models_say_is_cleaned_on_the_way_in(make):
    made = make(value={"a\0": "b\ud800"}, description="d\0", purpose="p\udfff", metadata={"m": "\0"})
    stored = Artifact.objects.get(id=made.id)
    assert (stored.value, stored.description, stored.purpose, stored.metadata) == ({"a": "b"}, "d", "p", {"m": ""})


@pytest.mark.parametrize(
    ("own", "sources", "expected"),
    [
        ("trusted", [], "trusted"),
        ("person", [], "person"),
        ("trusted", ["trusted", "person"], "person"),
        ("trusted", ["person", "untrusted"], "untrusted"),
        ("person", ["untrusted"], "untrusted"),
        ("untrusted", ["trusted"], "untrusted"),
    ],
)
def test_the_worst_label_follows_lineage(make, own, sources, expected):
    derived_from = [make(f"source_{number}", trust=trust) for number, trust in enumerate(sources)]
    made = make(trust=own, derived_from=derived_from)
    assert made.trust == Artifact.objects.get(id=made.id).trust == expected
    assert make("next", derived_from=[made]).trust == expected


@pytest.mark.parametrize(
    ("fields", "field", "allowed"),
    [
        ({"name": ""}, "name", "a letter or _"),
        ({"name": "a.b"}, "name", "a letter or _"),
        ({"name": "a b"}, "name", "a letter or _"),
        ({"name": "@a"}, "name", "a letter or _"),
        ({"name": "x" * 101}, "name", "at most 100"),
        ({"name": None}, "name", "must be a text"),
        ({"type": "picture"}, "type", "file, data, process, config, text, url"),
        ({"trust": "high"}, "trust", "trusted, person, untrusted"),
        ({"description": " \0"}, "description", "must say"),
        ({"description": "d" * 10_001}, "description", "at most 10000"),
        ({"purpose": None}, "purpose", "must be a text"),
        ({"metadata": {"m": "m" * 70_000}}, "metadata", "65536"),
        ({"media_type": "text/html\r\nX: y"}, "media_type", "printable"),
        ({"value": 1, "blob": b""}, "value", "exactly one"),
        ({"value": services.NO_VALUE}, "value", "exactly one"),
        ({"derived_from": ["nonsense"]}, "derived_from", "no UUID"),
        ({"context": "nonsense"}, "context", "no UUID"),
    ],
)
def test_a_field_that_is_not_allowed_is_named_and_nothing_is_written(namespace, fields, field, allowed):
    whole = {"context": namespace, "name": "n", "type": "data", "description": "d", **fields}
    if "blob" not in whole:
        whole.setdefault("value", 1)
    with pytest.raises(InvalidArtifact, match=allowed) as caught:
        create_artifact(**whole)
    assert caught.value.field == field
    assert not Artifact.objects.exists()


def test_a_value_that_is_no_json_is_refused_before_anything_is_written(make, data_dir):
    with pytest.raises(UncleanValue):
        make(value=["x" * 100_000, float("nan")])
    assert not Artifact.objects.exists()
    assert not (data_dir / "artifacts").exists()


def test_contents_and_lineage_are_bounded(make, monkeypatch, data_dir):
    monkeypatch.setattr(writing, "MAX_BYTES", 100_000)
    for content in ({"value": "x" * 100_000}, {"blob": b"x" * 100_001}):
        with pytest.raises(InvalidArtifact, match="at most 100000"):
            make(**content)
    assert not (data_dir / "artifacts").exists()
    with pytest.raises(InvalidArtifact, match="derived_from: 1001 artifacts; at most 1000"):
        make(derived_from=[uuid.uuid4() for _ in range(1001)])


def test_unknown_contexts_and_sources_are_refused_and_nothing_is_written(make):
    with pytest.raises(UnknownContext):
        make(context=uuid.uuid4())
    with pytest.raises(UnknownSource, match="1 of 2"):
        make("derived", derived_from=[make("real"), uuid.uuid4()])
    assert [artifact.name for artifact in Artifact.objects.all()] == ["real"]
    assert not Derivation.objects.exists()


def test_a_context_knows_its_ancestors_nearest_first(namespace, django_assert_num_queries):
    with django_assert_num_queries(1):
        child = create_context(parent=namespace)
    grandchild = create_context(parent=child.id)
    assert grandchild.path == [grandchild.id, child.id, namespace.id]
    assert Context.objects.get(id=grandchild.id).path == grandchild.path


def test_the_database_fills_in_the_path_of_a_context_made_without_one(namespace):
    child = Context.objects.create(parent=namespace)
    assert Context.objects.get(id=child.id).path == [child.id, namespace.id]


def test_contexts_are_nested_to_a_bounded_depth():
    namespace = None
    for _ in range(Context.MAX_DEPTH):
        namespace = create_context(parent=namespace)
    with pytest.raises(ContextTooDeep, match="32"):
        create_context(parent=namespace)
    with pytest.raises(UnknownContext):
        create_context(parent=uuid.uuid4())
