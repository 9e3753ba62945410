"""Texts to vectors: offline by hashing, or by the endpoint's model when `GOALSITE_EMBEDDING_MODEL` names one."""

import math
import os
from collections.abc import Sequence
from functools import cache
from typing import Protocol

import openai
from django.conf import settings

from sops import hashing
from sops.exceptions import EmbedderUnavailable
from sops.models.perspective import EMBEDDING_DIMENSIONS

BATCH = 64


class Embedder(Protocol):
    """`name` is stored beside each vector; `embed` gives one vector of `EMBEDDING_DIMENSIONS` for each text."""

    name: str

    def embed(self, texts: Sequence[str]) -> list[list[float]]: ...


class HashingEmbedder:
    name = "hashing-1"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [hashing.embed(text, EMBEDDING_DIMENSIONS) for text in texts]


class EndpointEmbedder:
    """Raises `EmbedderUnavailable` when the endpoint fails or answers with vectors of another size."""

    def __init__(self, model: str) -> None:
        self.name = model
        self.model = model

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [vector for start in range(0, len(texts), BATCH) for vector in self.batch(texts[start : start + BATCH])]

    def batch(self, texts: Sequence[str]) -> list[list[float]]:
        try:
            reply = client().embeddings.create(
                model=self.model, input=list(texts), dimensions=EMBEDDING_DIMENSIONS, encoding_format="float"
            )
        except openai.OpenAIError as error:
            raise EmbedderUnavailable(f"{self.model}: {error}") from error
        vectors = [entry.embedding for entry in sorted(reply.data, key=lambda entry: entry.index)]
        if len(vectors) != len(texts) or any(not usable(vector) for vector in vectors):
            raise EmbedderUnavailable(
                f"{self.model} must answer with {len(texts)} vectors of {EMBEDDING_DIMENSIONS} finite numbers"
            )
        return vectors


def usable(vector: Sequence[float]) -> bool:
    return len(vector) == EMBEDDING_DIMENSIONS and all(map(math.isfinite, vector)) and any(vector)


def current_embedder() -> Embedder:
    """The embedder that the settings ask for."""
    model = settings.GOALSITE_EMBEDDING_MODEL
    return EndpointEmbedder(model) if model else HashingEmbedder()


@cache
def client() -> openai.OpenAI:
    """One client a process; a forked child makes its own."""
    if settings.GOALSITE_REHEARSAL:
        address = f"http://127.0.0.1:{settings.GOALSITE_REHEARSAL_PORT}/v1"
        return openai.OpenAI(base_url=address, api_key="rehearsal", timeout=30)
    return openai.OpenAI(
        base_url=settings.OPENAI_BASE_URL or None, api_key=settings.OPENAI_API_KEY or "none", timeout=30
    )


os.register_at_fork(after_in_child=client.cache_clear)
