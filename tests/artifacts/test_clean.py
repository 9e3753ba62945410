"""Cleaning makes any JSON value storable; the proof is the database's."""

import json
from decimal import Decimal

import pytest
from django.db import connection
from hypothesis import HealthCheck, assume, given, settings

from artifacts.clean import MAX_DEPTH, clean, clean_text
from artifacts.exceptions import UncleanValue
from tests.artifacts.values import dirty_values, json_values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\0b", "ab"),
        ("\ud800", ""),
        ("a\udfffb\ud800", "ab"),
        ("\ud83d\ude00 é", "😀 é"),
        ("\ude00\ud83d", ""),
        ("\ud83d\0\ude00", ""),
        ("\x01\t\n\x7f", "\x01\t\n\x7f"),
    ],
)
def test_nul_and_unpaired_surrogates_go_and_all_else_stays(text, expected):
    assert clean_text(text) == expected


def test_values_and_keys_are_cleaned_at_any_depth():
    assert clean({"a\0": [("x\0", {"\ud800b": "y\udc00"})], "n": None}) == {"a": [["x", {"b": "y"}]], "n": None}


def test_0_false_empty_and_null_are_values():
    assert clean([0, False, "", None, 0.0, {}, []]) == [0, False, "", None, 0.0, {}, []]


@pytest.mark.parametrize(
    ("value", "place", "problem"),
    [
        ({"a": [1, float("nan")]}, r"\$\.a\[1\]", "nan"),
        (float("inf"), r"\$", "inf"),
        ([float("-inf")], r"\$\[0\]", "-inf"),
        ({"a": b"bytes"}, r"\$\.a", "bytes is no JSON value"),
        ({"a": {1}}, r"\$\.a", "set is no JSON value"),
        ({"a": {404: 1}}, r"\$\.a", "404 is no text"),
        ({"k": {"a": 1, "a\0": 2}}, r"\$\.k", "two keys become 'a'"),
        ([1 << 5000], r"\$\[0\]", "integer"),
    ],
)
def test_what_is_not_json_is_refused_at_its_place(value, place, problem):
    with pytest.raises(UncleanValue, match=f"^{place}: .*{problem}"):
        clean(value)


def test_depth_is_bounded():
    def nest(depth):
        value = 1
        for _ in range(depth):
            value = [value]
        return value

    assert clean(nest(MAX_DEPTH)) == nest(MAX_DEPTH)
    with pytest.raises(UncleanValue, match=f"more than {MAX_DEPTH} deep"):
        clean(nest(MAX_DEPTH + 1))
    with pytest.raises(UncleanValue):
        clean(nest(100_000))


def test_a_long_key_does_not_make_a_long_message():
    with pytest.raises(UncleanValue) as caught:
        clean({"k" * 100_000: float("nan")})
    assert len(str(caught.value)) < 200


def exactly(text):
    """The JSON text as values with exact numbers: Postgres writes 1e20 as 100000000000000000000."""
    return json.loads(text, parse_int=Decimal, parse_float=Decimal)


@given(json_values)
def test_a_value_of_storable_texts_stays_as_it_is(value):
    assume("\\u0000" not in json.dumps(value))
    assert clean(value) == value


@pytest.mark.django_db
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(dirty_values)
def test_whatever_is_cleaned_can_be_stored_and_comes_back(value):
    try:
        cleaned = clean(value)
    except UncleanValue as error:
        assert "two keys become" in str(error) or "bits" in str(error)  # noqa: PT017
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::jsonb::text", [json.dumps(cleaned, ensure_ascii=False)])
        assert exactly(cursor.fetchone()[0]) == exactly(json.dumps(cleaned))
    assert clean(cleaned) == cleaned


@pytest.mark.django_db
@pytest.mark.parametrize("extreme", [(1 << 4096) - 1, -(1 << 4000), 1.7976931348623157e308, 5e-324, -0.0])
def test_extreme_numbers_can_be_stored(extreme):
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::jsonb::text", [json.dumps(clean(extreme))])
        assert exactly(cursor.fetchone()[0]) == Decimal(str(extreme))
