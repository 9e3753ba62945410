"""Replies as chat completions: whole, or as the chunks of a stream. Ids and usage are functions of the request."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from goals.llm.rehearsal.reply import Calls, Reply, Text, Typed

BYTES_PER_TOKEN = 4
PIECE = 24


def completion(body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """The body of a chat completion."""
    message, finish_reason, output_tokens = _message(body, reply)
    return _envelope(body, "chat.completion") | {
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason}],
        "usage": usage(body, output_tokens),
    }


def chunks(body: dict[str, Any], reply: Reply) -> Iterator[dict[str, Any]]:
    """The same completion as the chunks of a stream; usage last, where it was asked for."""
    message, finish_reason, output_tokens = _message(body, reply)
    envelope = _envelope(body, "chat.completion.chunk")
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    content = message["content"] or ""
    deltas += [{"content": content[start : start + PIECE]} for start in range(0, len(content), PIECE)]
    deltas += [{"tool_calls": [{"index": i, **call}]} for i, call in enumerate(message.get("tool_calls", ()))]
    for delta in deltas:
        yield envelope | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield envelope | {"choices": [{"index": 0, "delta": {}, "finish_reason": finish_reason}]}
    if (body.get("stream_options") or {}).get("include_usage"):
        yield envelope | {"choices": [], "usage": usage(body, output_tokens)}


def usage(body: dict[str, Any], output_tokens: int) -> dict[str, Any]:
    """Token counts at four bytes a token, as a real endpoint would report them."""
    told = {key: body.get(key) for key in ("messages", "tools", "response_format") if body.get(key)}
    prompt = tokens(json.dumps(told, ensure_ascii=False))
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output_tokens,
        "total_tokens": prompt + output_tokens,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def _message(body: dict[str, Any], reply: Reply) -> tuple[dict[str, Any], str, int]:
    if isinstance(reply, Calls):
        calls = [_call(body, position, *call) for position, call in enumerate(reply.calls)]
        message = {"role": "assistant", "content": None, "refusal": None, "tool_calls": calls}
        return message, "tool_calls", tokens(json.dumps(calls))
    content = _content(reply)
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    finish_reason = "stop"
    if limit and tokens(content) > limit:
        content = content.encode()[: limit * BYTES_PER_TOKEN].decode("utf-8", "ignore")
        finish_reason = "length"
    return {"role": "assistant", "content": content, "refusal": None}, finish_reason, tokens(content)


def _content(reply: Typed | Text) -> str:
    return reply.text if isinstance(reply, Text) else json.dumps(reply.value, ensure_ascii=False)


def _call(body: dict[str, Any], position: int, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    told = json.dumps(arguments, ensure_ascii=False)
    return {
        "id": f"call_{_digest(body)[:16]}{position}",
        "type": "function",
        "function": {"name": name, "arguments": told},
    }


def _envelope(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{_digest(body)[:24]}",
        "object": kind,
        "created": 0,
        "model": body["model"],
        "system_fingerprint": "rehearsal",
    }


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body.get("messages"), sort_keys=True).encode()).hexdigest()
