"""A completion as it is written: text pieces, and last the Completion."""

import time
from collections.abc import Iterator
from typing import Any

import openai
from django.conf import settings

from goals.llm import wire
from goals.llm.client import client
from goals.llm.errors import ModelUnavailable
from goals.llm.exchange import Completion, Request, ToolCallRequest
from goals.llm.failures import told_error


def stream(request: Request) -> Iterator[str | Completion]:
    """Text pieces in order, then one Completion. Closing the iterator ends the call.

    A stream that ends without saying why it ended was cut: ModelUnavailable, never a short text taken for whole.
    """
    started = time.monotonic()
    gathered = _Gathered()
    headers = {"Idempotency-Key": request.key} if request.key else {}
    timeout = request.timeout or settings.GOALSITE_MODEL_TIMEOUT
    try:
        with client().chat.completions.create(
            **wire.body(request, stream=True), timeout=timeout, extra_headers=headers
        ) as chunks:
            for chunk in chunks:
                piece = gathered.add(chunk)
                if piece:
                    yield piece
    except openai.OpenAIError as error:
        raise told_error(error) from error
    if gathered.finish_reason is None:
        raise ModelUnavailable("the stream ended before the reply did")
    yield wire.finished(
        request,
        text="".join(gathered.pieces),
        refusal="".join(gathered.refusal) or None,
        calls=gathered.tool_calls(),
        usage=gathered.usage,
        model=gathered.model,
        finish_reason=gathered.finish_reason,
        seconds=time.monotonic() - started,
    )


class _Gathered:
    """What the chunks have said so far."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.refusal: list[str] = []
        self.calls: dict[int, dict[str, str]] = {}
        self.usage: dict[str, Any] | None = None
        self.model: str | None = None
        self.finish_reason: str | None = None

    def add(self, chunk: Any) -> str:
        self.model = chunk.model or self.model
        if chunk.usage:
            self.usage = chunk.usage.model_dump()
        piece = ""
        for choice in chunk.choices[:1]:
            self.finish_reason = choice.finish_reason or self.finish_reason
            piece = choice.delta.content or ""
            self.refusal.append(choice.delta.refusal or "")
            for call in choice.delta.tool_calls or ():
                self._add_call(call)
        self.pieces.append(piece)
        return piece

    def _add_call(self, call: Any) -> None:
        known = self.calls.setdefault(call.index or 0, {"id": "", "name": "", "arguments": ""})
        known["id"] = known["id"] or call.id or ""
        if call.function:
            known["name"] += call.function.name or ""
            known["arguments"] += call.function.arguments or ""

    def tool_calls(self) -> tuple[ToolCallRequest, ...]:
        return tuple(
            ToolCallRequest(call["id"] or f"call_{index}", call["name"], call["arguments"] or "{}")
            for index, call in sorted(self.calls.items())
        )
