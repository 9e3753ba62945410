"""PURE: vectors of texts without any model: hashed words, pairs of words and pieces of words.

Two texts are near when they share words or parts of words; meaning beyond that is up to the library's own phrases.
"""

import hashlib
import itertools
import math
import re
import unicodedata
from collections import defaultdict
from functools import lru_cache

PIECE_SHARE = 0.6
PAIR_SHARE = 0.5
COMMON_SHARE = 0.35
STOP_WORDS = """
a an and any are as at be been but by can could do does for from give had has have how i if in into is it its let like
me my need of on one or our out over please so some such than that the their them then there these they this those to
us want was we were what when where which who will with would you your
"""
COMMON_WORDS = "all create file folder get list make new read report result run show tell text use work write"
STOP = frozenset(STOP_WORDS.split())
COMMON = frozenset(COMMON_WORDS.split())
ENDINGS = (("ies", "y"), ("sses", "ss"), ("ing", ""), ("edly", ""), ("ed", ""), ("es", "e"), ("s", ""))


def embed(text: str, dimensions: int) -> list[float]:
    """A unit vector; all zeros but the first place for a text without words (a vector must have a direction)."""
    vector = [0.0] * dimensions
    for feature, weight in features(text).items():
        place, sign = slot(feature, dimensions)
        vector[place] += sign * weight
    length = math.sqrt(sum(value * value for value in vector))
    if not length:
        return [1.0, *([0.0] * (dimensions - 1))]
    return [value / length for value in vector]


def features(text: str) -> dict[str, float]:
    counts: dict[str, float] = defaultdict(float)
    stems = [stem(word) for word in words(text) if word not in STOP]
    for word in stems:
        counts[f"w:{word}"] += weight(word)
        pieces = pieces_of(word)
        for piece in pieces:
            counts[f"p:{piece}"] += weight(word) * PIECE_SHARE / math.sqrt(len(pieces))
    for first, second in itertools.pairwise(stems):
        counts[f"2:{first} {second}"] += PAIR_SHARE * min(weight(first), weight(second))
    return {feature: 1 + math.log(count) if count > 1 else count for feature, count in counts.items()}


def words(text: str) -> list[str]:
    """Lower-case words without accents; `camelCase` and `snake_case` are several."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    plain = unicodedata.normalize("NFKD", spaced).encode("ascii", "ignore").decode().lower()
    return re.findall(r"[a-z]+|[0-9]+", plain) if plain.strip() else re.findall(r"\w+", text.lower())


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    for ending, instead in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("ss", "us", "is")):
            return word[: len(word) - len(ending)] + instead
    return word


def weight(word: str) -> float:
    return COMMON_SHARE if word in COMMON else 1.0


def pieces_of(word: str) -> list[str]:
    padded = f"#{word}#"
    return [padded[start : start + size] for size in (3, 4) for start in range(len(padded) - size + 1)]


@lru_cache(maxsize=50_000)
def slot(feature: str, dimensions: int) -> tuple[int, int]:
    number = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "big")
    return (number >> 1) % dimensions, 1 if number & 1 else -1
