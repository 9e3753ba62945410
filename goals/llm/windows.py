"""How many tokens a model can take in one call, its reply included: the operator's word, else the maintained table."""

from functools import lru_cache

from django.conf import settings

from goals.llm.prices import in_table

UNKNOWN = 128_000  # what most models take that are served today


def context_tokens(model: str) -> int:
    """Return the window of a model; one that nobody knows is taken to be of the usual size."""
    return settings.GOALSITE_CONTEXT_TOKENS or _from_table(model, settings.OPENAI_BASE_URL) or UNKNOWN


@lru_cache(maxsize=64)
def _from_table(model: str, _endpoint: str) -> int | None:
    found = in_table(model)
    return found.model.context_window if found else None
