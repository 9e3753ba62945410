"""Vectors for what a goal looks up in the library: from the endpoint through a breaker, or offline.

The breaker is their own: whoever gets no vectors goes on by words, so that embeddings fail must stop nobody's chat
completions. But an endpoint that is left alone is left alone by them as well, and is not tried by them.
"""

from collections.abc import Sequence

from django.conf import settings

from goals.connections import pooled, released
from goals.digests import digest
from goals.effects.breakers import Pass, is_open, permitted, told
from goals.exceptions import BreakerOpen
from goals.llm import client, port
from goals.llm.errors import ModelError
from goals.states import BreakerKind
from sops.embedding import Embedder, current_embedder, usable
from sops.exceptions import EmbedderUnavailable
from sops.models.perspective import EMBEDDING_DIMENSIONS

SECONDS = 30.0


class GuardedEmbedder:
    """The endpoint's embedding model; where it is down or left alone, whoever searches goes on by words."""

    def __init__(self, model: str) -> None:
        self.name = model

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector a text; raises EmbedderUnavailable. No connection is held meanwhile."""
        try:
            given = _leave(texts)
            with released(), told(given):
                vectors = port.embed(texts, model=self.name, dimensions=EMBEDDING_DIMENSIONS, timeout=SECONDS)
        except (BreakerOpen, ModelError) as error:
            raise EmbedderUnavailable(f"{self.name}: {error}") from error
        if not all(map(usable, vectors)):
            raise EmbedderUnavailable(f"{self.name} gave a vector that is no direction")
        return vectors


def _leave(texts: Sequence[str]) -> Pass:
    """Ask the breakers; nothing is written down of a call that changes nothing and costs next to nothing."""
    place = client.place()
    with pooled():
        if is_open(BreakerKind.ENDPOINT, place):
            raise EmbedderUnavailable(f"the endpoint {place} is left alone")
        with permitted(BreakerKind.ENDPOINT, f"{place}/embeddings", key=digest(*texts), seconds=SECONDS) as given:
            return given


def embedder() -> Embedder:
    """Return the embedder that the settings ask for."""
    model = settings.GOALSITE_EMBEDDING_MODEL
    return GuardedEmbedder(model) if model else current_embedder()
