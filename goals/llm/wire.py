"""Between our values and the bodies of chat completions: the one place that knows the protocol's fields."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from goals.llm.client import address
from goals.llm.errors import ModelRefused, ModelRejected, ModelUnavailable
from goals.llm.exchange import Completion, Request, ToolCallRequest, typed
from goals.llm.prices import upper_bound
from goals.llm.schemas import instructions, response_format

_NEWER_LIMIT_FIELD = (".openai.com", ".openai.azure.com")


def body(request: Request, *, stream: bool = False) -> dict[str, Any]:
    """The JSON body of the call."""
    told: dict[str, Any] = {
        "model": model_of(request),
        "messages": messages_of(request),
        _limit_field(): max_output_tokens(request),
    }
    wanted = response_format(request.reply, mode_of(request)) if request.reply else None
    if wanted:
        told["response_format"] = wanted
    if request.tools:
        told["tools"] = list(request.tools)
    if stream:
        told |= {"stream": True, "stream_options": {"include_usage": True}}
    return told


def mode_of(request: Request) -> str:
    """How the typed reply is asked for. `json_object` forbids tool calls on many servers: with tools, in words."""
    mode = settings.GOALSITE_STRUCTURED_OUTPUT
    return "prompt" if mode == "json_object" and request.tools else mode


def model_of(request: Request) -> str:
    return request.model or settings.GOALSITE_MODELS[request.role]


def max_output_tokens(request: Request) -> int:
    return request.max_output_tokens or settings.GOALSITE_MODEL_MAX_OUTPUT_TOKENS


def messages_of(request: Request) -> list[Mapping[str, Any]]:
    """The messages as sent: where the reply's form travels in words, it ends the system message."""
    messages = list(request.messages)
    told = instructions(request.reply, mode_of(request)) if request.reply else ""
    if not told:
        return messages
    if messages and messages[0]["role"] == "system":
        return [{**messages[0], "content": messages[0]["content"] + told}, *messages[1:]]
    return [{"role": "system", "content": told.strip()}, *messages]


def completion(data: Any, request: Request, seconds: float) -> Completion:
    """The completion in a whole response body."""
    if isinstance(data, dict) and data.get("error"):
        raise ModelUnavailable(f"the endpoint answered with an error: {str(data['error'])[:500]}")
    try:
        choice = data["choices"][0]
        message = choice["message"]
    except (KeyError, IndexError, TypeError) as error:
        raise ModelRejected("the endpoint's answer is not a chat completion") from error
    calls = tuple(_call(position, call) for position, call in enumerate(message.get("tool_calls") or ()))
    return finished(
        request,
        text=_text(message.get("content")),
        refusal=message.get("refusal"),
        calls=calls,
        usage=data.get("usage"),
        model=data.get("model"),
        finish_reason=choice.get("finish_reason") or "stop",
        seconds=seconds,
    )


def finished(
    request: Request,
    *,
    text: str,
    refusal: str | None,
    calls: tuple[ToolCallRequest, ...],
    usage: Mapping[str, Any] | None,
    model: str | None,
    finish_reason: str,
    seconds: float,
) -> Completion:
    """The completion of one call, streamed or whole. A refusal is raised with what it used."""
    spent = _usage(usage, request)
    value, problem = (None, None) if refusal else typed(request.reply, text, calls, finish_reason)
    result = Completion(
        text=text or refusal or "",
        value=value,
        problem=problem,
        tool_calls=calls,
        **spent,
        model=model or model_of(request),
        finish_reason=finish_reason,
        seconds=seconds,
    )
    if refusal or finish_reason == "content_filter":
        said = (refusal or "a content filter stopped it")[:500]
        raise ModelRefused(f"the model refused: {said}", completion=result)
    return result


def bound_of(request: Request) -> tuple[int, int]:
    """No more tokens than these (input, output) can be charged for this request."""
    return upper_bound(
        request.messages, request.tools, max_output_tokens(request), request.reply, mode=mode_of(request)
    )


def _usage(usage: Mapping[str, Any] | None, request: Request) -> dict[str, Any]:
    if usage and usage.get("prompt_tokens") is not None and usage.get("completion_tokens") is not None:
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        return {
            "input_tokens": usage["prompt_tokens"],
            "output_tokens": usage["completion_tokens"],
            "cached_tokens": cached,
            "usage_reported": True,
        }
    bound_in, bound_out = bound_of(request)
    return {"input_tokens": bound_in, "output_tokens": bound_out, "cached_tokens": 0, "usage_reported": False}


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return content or ""


def _call(position: int, call: Mapping[str, Any]) -> ToolCallRequest:
    function = call.get("function") or {}
    arguments = function.get("arguments") or "{}"
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return ToolCallRequest(
        id=call.get("id") or f"call_{position}", name=function.get("name") or "", arguments=arguments
    )


def _limit_field() -> str:
    """OpenAI's newer models take only the newer field; every other server knows the older one."""
    host = f".{urlsplit(address()[0]).hostname}"
    return "max_completion_tokens" if host.endswith(_NEWER_LIMIT_FIELD) else "max_tokens"
