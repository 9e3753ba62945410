"""Procedures for a goal, found by meaning and by words together.

`score` orders the candidates (reciprocal ranks of both searches, mildly raised or lowered by the track record). It
says nothing about whether any of them fits: `fit` does, from 0 (unrelated) to 1 (the goal says what the procedure
says), comparable between goals. Below `PLAUSIBLE` a procedure is about something else; at `CONVINCING` and above the
goal's words are largely the procedure's own.
"""

import logging
from dataclasses import dataclass
from pathlib import Path

from django.db import connection, transaction

from sops.embedding import Embedder, current_embedder
from sops.exceptions import EmbedderUnavailable
from sops.models import EMBEDDING_DIMENSIONS, SopVersion
from sops.text import storable

PLAUSIBLE = 0.25
CONVINCING = 0.35
MAX_QUERY = 2000
MAX_K = 50
BREADTH = 200
logger = logging.getLogger(__name__)
STATEMENT = (Path(__file__).parent / "retrieval.sql").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Candidate:
    """A version and why it was found: ranks count from 1 and are None where that search did not find it."""

    version: SopVersion
    score: float
    fit: float
    vector_rank: int | None
    word_rank: int | None
    similarity: float
    coverage: float
    perspective: str

    @property
    def plausible(self) -> bool:
        return self.fit >= PLAUSIBLE


def search(query: str, k: int = 5, *, embedder: Embedder | None = None) -> list[Candidate]:
    """The best `k` current versions of active SOPs, best first. An embedding endpoint that is down leaves words."""
    query = storable(query)[:MAX_QUERY].strip()
    if not query or k < 1:
        return []
    embedder = embedder or current_embedder()
    return candidates(ranked(query, vector_of(query, embedder), embedder.name, min(k, MAX_K)))


def vector_of(query: str, embedder: Embedder) -> list[float] | None:
    try:
        return embedder.embed([query])[0]
    except EmbedderUnavailable as error:
        logger.warning("Procedures are searched by words alone: %s", error)
        return None


def ranked(query: str, vector: list[float] | None, embedder: str, k: int) -> list[tuple]:
    """Rows of the one statement. Without a vector no perspective is near."""
    values = {
        "query": query,
        "vector": str(vector or [0.0] * EMBEDDING_DIMENSIONS),
        "embedder": embedder,
        "breadth": BREADTH if vector else 0,
        "k": k,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL hnsw.iterative_scan = 'strict_order'; SET LOCAL hnsw.ef_search = 200")
        cursor.execute(STATEMENT, values)
        return cursor.fetchall()


def candidates(rows: list[tuple]) -> list[Candidate]:
    versions = SopVersion.objects.select_related("sop").prefetch_related("steps").in_bulk([row[0] for row in rows])
    return [
        Candidate(
            versions[pk],
            float(score),
            fit(similarity, float(coverage)),
            vector_rank,
            word_rank,
            similarity,
            float(coverage),
            text,
        )
        for pk, score, vector_rank, word_rank, similarity, coverage, text in rows
        if pk in versions
    ]


def fit(similarity: float, coverage: float) -> float:
    """How far the procedure is about the goal, 0 to 1."""
    return round(min(1.0, max(0.0, (similarity + coverage) / 2)), 4)
