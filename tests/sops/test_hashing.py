"""Vectors without a model."""

import math

import pytest

from sops import hashing

SIZE = 512
# Of the text below: stored vectors stay comparable only as long as it holds; else rename the embedder.
CHECKSUM = 134.760642


def cosine(first, second):
    return sum(a * b for a, b in zip(hashing.embed(first, SIZE), hashing.embed(second, SIZE), strict=True))


@pytest.mark.parametrize("text", ["", "the of and", "train", "Zug nach München", "日本語", "x" * 10_000, "\ud800"])
def test_every_text_has_a_unit_vector(text):
    assert math.isclose(math.hypot(*hashing.embed(text, SIZE)), 1.0)


def test_the_same_text_always_has_the_same_vector():
    vector = hashing.embed("group errors", SIZE)
    assert vector == hashing.embed("group errors", SIZE)
    assert round(sum(place * value for place, value in enumerate(vector)), 6) == round(CHECKSUM, 6)


def test_words_of_one_family_are_nearer_than_strangers():
    assert cosine("booking trains", "book a train") > 0.5
    assert cosine("validation of tables", "validate the table") > 0.4
    assert cosine("booking trains", "broken links in documents") < 0.15


def test_camel_case_and_accents_do_not_matter():
    assert hashing.words("travelDate café") == ["travel", "date", "cafe"]
