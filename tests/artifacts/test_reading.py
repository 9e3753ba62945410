"""Finding artifacts: the nearest context wins, one statement, bounded whatever else there is."""

import json
import uuid
from datetime import timedelta

import pytest
from django.db import connection, transaction

from artifacts.models import Artifact
from artifacts.reading import GIVEN, LATEST, NEAR
from artifacts.services import create_context, evidence_keys, evidence_since, latest, lookup

pytestmark = pytest.mark.django_db


@pytest.fixture
def child(namespace):
    return create_context(parent=namespace)


def contents(artifacts):
    return {name: artifact.content() for name, artifact in artifacts.items()}


def test_the_latest_version_of_the_nearest_context_wins(make, namespace, child):
    make("both", "parent 1")
    make("both", "parent 2")
    make("mine", "parent")
    assert lookup(child, "both").content() == "parent 2"
    make("both", "child", context=child)
    make("both", "parent 3")
    assert lookup(child, "both").content() == "child"
    assert lookup(namespace, "both").content() == "parent 3"
    assert lookup(create_context(parent=child), "both").content() == "child"
    assert contents(latest(child)) == {"both": "child", "mine": "parent"}
    assert contents(latest(namespace)) == {"both": "parent 3", "mine": "parent"}


def test_a_fixed_version_comes_from_the_nearest_context_that_has_it(make, child):
    make("it", "parent 1")
    make("it", "parent 2")
    make("it", "child 1", context=child)
    assert lookup(child, "it", 1).content() == "child 1"
    assert lookup(child, "it", 2).content() == "parent 2"
    assert lookup(child, "it", 3) is None


@pytest.mark.parametrize("version", [0, -1, 2**31, 10**17])
def test_versions_that_cannot_be_are_not_there(make, namespace, version):
    make("it")
    assert lookup(namespace, "it", version) is None


def test_parents_and_siblings_see_nothing_of_a_child(make, namespace, child):
    make("secret", context=child)
    sibling = create_context(parent=namespace)
    for other in (namespace, sibling, create_context()):
        assert lookup(other, "secret") is None
        assert latest(other) == {}
        assert evidence_keys(other) == frozenset()


def test_an_unknown_context_or_name_has_nothing(namespace):
    assert lookup(uuid.uuid4(), "x") is None
    assert lookup(namespace, "x") is None
    assert latest(uuid.uuid4()) == {}
    assert latest(namespace, []) == {}


@pytest.mark.parametrize("name", ["", "x\0", "\ud800", "a.b", "@x", "x" * 100_000])
def test_what_cannot_be_a_name_is_not_there(make, namespace, name):
    make("x")
    assert lookup(namespace, name) is None
    assert set(latest(namespace, [name, "x"])) == {"x"}


def test_contexts_are_given_as_rows_ids_or_texts(make, namespace):
    made = make("x")
    for given in (namespace, namespace.id, str(namespace.id)):
        assert lookup(given, "x") == made
        assert evidence_keys(given) == {"x"}


def test_latest_of_given_names_reads_these_only(make, child):
    for name in "abc":
        make(name, name)
    make("a", "child", context=child)
    assert contents(latest(child, ["a", "c", "a", "none"])) == {"a": "child", "c": "c"}


def test_evidence_since_gives_the_names_that_got_a_version(make, child):
    make("old")
    since = make("boundary").created_at
    make("old", 2, context=child)
    make("shadowed", "parent", context=child)
    assert contents(evidence_since(child, since)) == {"boundary": 1, "old": 2, "shadowed": "parent"}
    assert evidence_since(child, since + timedelta(days=1)) == {}


def test_evidence_keys_are_narrowed_by_names_and_by_time(make, child):
    make("old")
    make("again")
    since = make("new").created_at
    make("again", 2, context=child)
    make("busy", context=child)
    assert evidence_keys(child) == {"old", "again", "new", "busy"}
    assert evidence_keys(child, ["old", "new", "none", "x\0"]) == {"old", "new"}
    assert evidence_keys(child, since=since) == {"again", "new", "busy"}
    assert evidence_keys(child, ["old", "again"], since) == {"again"}
    assert evidence_keys(child, []) == frozenset()


def test_evidence_of_one_transaction_is_told_apart_by_time(make, namespace):
    with transaction.atomic():
        make("first")
        second = make("second")
        assert set(evidence_since(namespace, second.created_at)) == {"second"}


def test_blobs_are_not_read_until_their_content_is_asked_for(make, namespace, data_dir):
    made = make("big", "x" * 100_000)
    (data_dir / "artifacts" / made.blob_sha256[:2] / made.blob_sha256[2:]).unlink()
    assert latest(namespace)["big"].shape == "100000 chars"
    assert lookup(namespace, "big").size == 100_002


def test_each_reader_is_one_statement(make, child, django_assert_num_queries):
    since = make("a").created_at
    make("b", context=child)
    for read in (
        lambda: lookup(child, "a").content(),
        lambda: contents(latest(child)),
        lambda: contents(latest(child, ["a", "b"])),
        lambda: contents(evidence_since(child, since)),
        lambda: evidence_keys(child),
    ):
        with django_assert_num_queries(1):
            read()


def test_looking_up_a_name_costs_the_same_among_thousands(make, child):
    fill(child, names=50, versions=1)
    few = pages_read(child)
    fill(child, names=3000, versions=1, start=50)
    fill(child, names=1, versions=3000, start=1, first=2)
    assert pages_read(child) <= few + 6


def fill(namespace, *, names, versions, start=0, first=1):
    Artifact.objects.bulk_create(
        Artifact(context=namespace, name=f"name_{number}", version=version, type="data", value=version, description="d")
        for number in range(start, start + names)
        for version in range(first, first + versions)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE artifacts_artifact")


def pages_read(namespace):
    statement = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {NEAR}, wanted AS ({GIVEN}) {LATEST}"
    with connection.cursor() as cursor:
        cursor.execute(statement, {"context": namespace.id, "names": ["name_1", "name_20"]})
        (plans,) = cursor.fetchone()
    plan = (json.loads(plans) if isinstance(plans, str) else plans)[0]["Plan"]
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
