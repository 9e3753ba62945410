"""The model port: one call to an OpenAI-compatible endpoint, its reply typed. No database, synchronous, thread-safe.

`complete` never invents: it returns what came back, or raises a ModelError that says whether again may help. A
reply that does not parse comes back with its `problem`; `repair` gives the messages for another try, which the
caller journals as an effect of its own, at most MAX_REPAIRS times.
"""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import httpx2
import openai
from django.conf import settings

from goals.llm import wire
from goals.llm.client import client
from goals.llm.errors import ModelRejected
from goals.llm.exchange import Completion, Request, ToolCallRequest, assistant_message, tool_message
from goals.llm.failures import told_error
from goals.llm.streaming import stream
from goals.llm.wire import bound_of

__all__ = [
    "MAX_REPAIRS",
    "Completion",
    "Request",
    "ToolCallRequest",
    "assistant_message",
    "bound_of",
    "complete",
    "embed",
    "repair",
    "stream",
    "tool_message",
]

MAX_REPAIRS = 2
MAX_REPAIRED_TEXT = 20_000


def complete(request: Request) -> Completion:
    """One chat completion."""
    started = time.monotonic()
    data = post("/chat/completions", wire.body(request), request.timeout, request.key)
    return wire.completion(data, request, time.monotonic() - started)


def embed(texts: Sequence[str], *, model: str, dimensions: int, timeout: float | None = None) -> list[list[float]]:
    """One vector a text, in order."""
    data = post("/embeddings", {"model": model, "input": list(texts), "dimensions": dimensions}, timeout)
    try:
        vectors = [row["embedding"] for row in sorted(data["data"], key=lambda row: row["index"])]
    except (KeyError, TypeError) as error:
        raise ModelRejected("the endpoint's answer is not a list of embeddings") from error
    if len(vectors) != len(texts) or any(len(vector) != dimensions for vector in vectors):
        raise ModelRejected(f"the endpoint did not give {len(texts)} vectors of {dimensions} numbers")
    return vectors


def repair(messages: Sequence[Mapping[str, Any]], completion: Completion) -> list[Mapping[str, Any]]:
    """The messages for another try after a reply that did not parse."""
    said = completion.text[:MAX_REPAIRED_TEXT] or "(an empty reply)"
    asked = (
        f"That reply cannot be used: {completion.problem}.\n"
        "Send the whole reply again as one JSON object of the required form, with this mended and nothing else."
    )
    return [*messages, {"role": "assistant", "content": said}, {"role": "user", "content": asked}]


def post(path: str, body: Mapping[str, Any], timeout: float | None, key: str = "") -> Any:
    """The parsed JSON body of one POST through the client."""
    options: dict[str, Any] = {"timeout": timeout or settings.GOALSITE_MODEL_TIMEOUT}
    if key:
        options["headers"] = {"Idempotency-Key": key}
    try:
        response = client().post(path, cast_to=httpx2.Response, body=body, options=options)
    except openai.OpenAIError as error:
        raise told_error(error) from error
    try:
        return json.loads(response.content)
    except ValueError as error:
        raise ModelRejected("the endpoint's answer is not JSON: is this the address of a model endpoint?") from error
