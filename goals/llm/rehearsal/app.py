"""The rehearsal model's HTTP face: the part of the OpenAI protocol that Goalsite speaks."""

import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from goals.llm.rehearsal import wire
from goals.llm.rehearsal.asked import read
from goals.llm.rehearsal.reply import Reply
from goals.llm.rehearsal.rules import answer
from goals.llm.rehearsal.vectors import DIMENSIONS, embed

MODELS = ("rehearsal", "rehearsal-embedding")


async def chat_completions(request: Request) -> Response:
    """POST /v1/chat/completions"""
    try:
        body = await request.json()
        reply = answer(read(body))
    except ValueError:
        return problem("the body is not JSON")
    except (KeyError, TypeError, AttributeError) as error:
        return problem(f"the body is not a chat completion request: {error}")
    return completed(body, reply)


def completed(body: dict[str, Any], reply: Reply) -> Response:
    """The reply as a whole body, or as a stream where one was asked for."""
    if body.get("stream"):
        return StreamingResponse(_events(body, reply), media_type="text/event-stream")
    return JSONResponse(wire.completion(body, reply))


async def _events(body: dict[str, Any], reply: Reply) -> AsyncIterator[str]:
    for chunk in wire.chunks(body, reply):
        yield f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"
    yield "data: [DONE]\n\n"


async def embeddings(request: Request) -> Response:
    """POST /v1/embeddings"""
    try:
        body = await request.json()
        texts = [body["input"]] if isinstance(body["input"], str) else list(body["input"])
        dimensions = body.get("dimensions") or DIMENSIONS
        vectors = [embed(text, dimensions) for text in texts]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return problem(f"the body is not an embeddings request: {error}")
    used = sum(wire.tokens(text) for text in texts)
    data = [{"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)]
    usage = {"prompt_tokens": used, "total_tokens": used}
    return JSONResponse({"object": "list", "data": data, "model": body.get("model"), "usage": usage})


async def models(request: Request) -> Response:
    """GET /v1/models"""
    data = [{"id": name, "object": "model", "created": 0, "owned_by": "goalsite"} for name in MODELS]
    return JSONResponse({"object": "list", "data": data})


async def healthz(request: Request) -> Response:
    """GET /healthz"""
    return PlainTextResponse("ok")


def problem(message: str, status: int = 400) -> Response:
    """An error in the protocol's form."""
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    return JSONResponse({"error": error}, status_code=status)


ROUTES = [
    Route("/v1/chat/completions", chat_completions, methods=["POST"]),
    Route("/v1/embeddings", embeddings, methods=["POST"]),
    Route("/v1/models", models),
    Route("/healthz", healthz),
]
app = Starlette(routes=ROUTES)
