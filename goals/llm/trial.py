"""Asking a model for one token: whether it answers."""

from django.conf import settings

from goals.llm import port
from goals.llm.errors import ModelError
from goals.llm.exchange import Request

PATIENCE = 20.0
ASKED = [{"role": "user", "content": "Say yes."}]


def try_model(model: str, role: str) -> float:
    """Return the seconds that a call of one token took; raises ModelError, whose text does not hold the key."""
    request = Request(role=role, messages=ASKED, max_output_tokens=1, timeout=PATIENCE, model=model)
    try:
        return port.complete(request).seconds
    except ModelError as error:
        error.args = (without_key(str(error)),)
        raise


def without_key(text: str) -> str:
    key = settings.OPENAI_API_KEY
    return (text.replace(key, "***") if key else text)[:500]
