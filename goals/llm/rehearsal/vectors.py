"""Embeddings by feature hashing of words and character trigrams: deterministic, unit length."""

import hashlib
import math

from goals.llm.rehearsal.words import stems

DIMENSIONS = 512


def embed(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """The text's vector."""
    vector = [0.0] * dimensions
    for feature, share in _features(text):
        digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        place = int.from_bytes(digest[:7], "big") % dimensions
        vector[place] += share if digest[7] & 1 else -share
    length = math.sqrt(sum(number * number for number in vector)) or 1.0
    return [number / length for number in vector]


def _features(text: str) -> list[tuple[str, float]]:
    words = sorted(stems(text))
    trigrams = [f" {word} "[i : i + 3] for word in words for i in range(len(word))]
    return [(f"w:{word}", 1.0) for word in words] + [(f"t:{one}", 0.3) for one in trigrams] or [("empty", 1.0)]
