"""The database itself refuses changes, whoever asks and however."""

import uuid

import pytest
from django.db import IntegrityError, connection, transaction

from artifacts.models import Artifact, Context, Derivation
from artifacts.services import create_context


def refused(sql, parameters=(), match="refused"):
    with pytest.raises(IntegrityError, match=match), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, parameters)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change",
    ["value = '2'", "description = 'x'", "metadata = '{}'", "version = 7", "trust = 'trusted'", "name = name"],
)
def test_no_column_of_an_artifact_can_be_updated(make, change):
    made = make(trust="untrusted")
    refused(f"UPDATE artifacts_artifact SET {change} WHERE id = %s", [made.id])
    assert Artifact.objects.get(id=made.id).content() == 1


@pytest.mark.django_db
def test_an_artifact_and_its_lineage_cannot_be_deleted(make):
    made = make("made", derived_from=[make("source")])
    refused("DELETE FROM artifacts_artifact")
    refused("DELETE FROM artifacts_derivation")
    refused("UPDATE artifacts_derivation SET artifact_id = source_id, source_id = artifact_id")
    assert list(made.derived_from.values_list("name", flat=True)) == ["source"]


@pytest.mark.django_db
def test_the_orm_is_refused_as_well(make):
    made = make("made", derived_from=[make("source")])
    made.description = "another"
    for change in (
        made.save,
        lambda: Artifact.objects.update(size=0),
        lambda: Artifact.objects.filter(name="made")._raw_delete("default"),
        made.derived_from.clear,
    ):
        with pytest.raises(IntegrityError, match="refused"), transaction.atomic():
            change()


@pytest.mark.django_db(transaction=True)
def test_lineage_cannot_be_added_later(make):
    made, other = make("made"), make("other")
    with pytest.raises(IntegrityError, match="never later"):
        made.derived_from.add(other)
    refused("INSERT INTO artifacts_derivation (artifact_id, source_id) VALUES (%s, %s)", [made.id, other.id])
    assert not Derivation.objects.exists()


@pytest.mark.django_db
def test_an_artifact_does_not_derive_from_itself(make):
    made = make()
    refused("INSERT INTO artifacts_derivation (artifact_id, source_id) VALUES (%s, %s)", [made.id] * 2, "not_of_itself")


@pytest.mark.django_db
def test_a_context_keeps_its_place(namespace):
    child = create_context(parent=namespace)
    refused("UPDATE artifacts_context SET parent_id = NULL WHERE id = %s", [child.id])
    refused("UPDATE artifacts_context SET path = '{}' WHERE id = %s", [child.id])
    assert Context.objects.get(id=child.id).parent == namespace


@pytest.mark.django_db
def test_the_database_bounds_depth_and_knows_every_parent(namespace):
    insert = "INSERT INTO artifacts_context (id, parent_id, path) VALUES (%s, %s, '{}')"
    refused(insert, [uuid.uuid4(), uuid.uuid4()], "unknown parent")
    for _ in range(Context.MAX_DEPTH - 1):
        namespace = create_context(parent=namespace)
    refused(insert, [uuid.uuid4(), namespace.id], "32 deep")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("columns", "constraint"),
    [
        ({"version": 0}, "artifact_version"),
        ({"name": "a.b"}, "artifact_name_referable"),
        ({"name": ""}, "artifact_name_referable"),
        ({"type": "picture"}, "artifact_type_known"),
        ({"trust": "high"}, "artifact_trust_known"),
        ({"storage": "tape"}, "artifact_content_in_one_place"),
        ({"value": None}, "artifact_content_in_one_place"),
        ({"blob_sha256": "0" * 64}, "artifact_content_in_one_place"),
        ({"storage": "bytes"}, "artifact_content_in_one_place"),
        ({"storage": "bytes", "value": None}, "artifact_content_in_one_place"),
        ({"storage": "bytes", "value": None, "blob_sha256": "x" * 64}, "artifact_content_in_one_place"),
    ],
)
def test_the_database_refuses_rows_that_make_no_sense(namespace, columns, constraint):
    fields = {"name": "n", "version": 1, "type": "data", "trust": "trusted", "storage": "inline", "value": 1, **columns}
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Artifact.objects.create(context=namespace, description="d", **fields)


@pytest.mark.django_db
def test_a_version_exists_once(make):
    made = make()
    with pytest.raises(IntegrityError, match="artifact_version_once"), transaction.atomic():
        Artifact.objects.create(context=made.context, name=made.name, version=1, type="data", value=1, description="d")


@pytest.mark.django_db(transaction=True)
def test_truncate_passes_because_row_triggers_do_not_see_it(make):
    """Known and wanted: only the tables' owner may TRUNCATE, and the tests' own clean-up does."""
    make("made", derived_from=[make("source")])
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE artifacts_context, artifacts_artifact, artifacts_derivation CASCADE")
    assert not Artifact.objects.exists()
