"""How many tokens a call can cost at most, known before it is made, with no tokenizer.

Every token that a byte-level tokenizer (BPE, or SentencePiece with byte fallback) makes of a text covers at least
one byte of it, so a text of n UTF-8 bytes is at most n tokens. What servers put around our texts (role marks, tool
preambles, schemas written out with indentation and escapes) is covered by the overheads and by measuring JSON in its
longest usual form.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from goals.llm.schemas import instructions, response_format

REQUEST_OVERHEAD = 256
MESSAGE_OVERHEAD = 16
TOOLS_OVERHEAD = 1_024
TOOL_OVERHEAD = 32
FORMAT_OVERHEAD = 256
_ESCAPED_IN_TEMPLATES = "<>&'"


def upper_bound(
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] = (),
    max_output_tokens: int = 0,
    reply: str | None = None,
    *,
    mode: str = "json_schema",
) -> tuple[int, int]:
    """(input tokens, output tokens): no more can be charged for this request."""
    told = REQUEST_OVERHEAD + sum(message_bound(message) for message in messages)
    if tools:
        told += TOOLS_OVERHEAD + sum(TOOL_OVERHEAD + _longest(_compact(tool)) for tool in tools)
    if reply:
        told += _format(reply, mode)
    return told, max_output_tokens


def message_bound(message: Mapping[str, Any]) -> int:
    """No more tokens than this can be charged for one message."""
    content = message.get("content")
    rest = {key: value for key, value in message.items() if key not in ("role", "content")}
    told = MESSAGE_OVERHEAD + len(message["role"])
    if isinstance(content, str):
        told += _bytes(content)
    elif content is not None:
        told += _longest(_compact(content))
    return told + (_longest(_compact(rest)) if rest else 0)


@lru_cache(maxsize=128)
def _format(reply: str, mode: str) -> int:
    wanted = response_format(reply, mode)
    return FORMAT_OVERHEAD + _bytes(instructions(reply, mode)) + (_longest(_compact(wanted)) if wanted else 0)


@lru_cache(maxsize=1_024)
def _longest(compact: str) -> int:
    """Bytes of this JSON as templates write it at their most lavish: indented by 4, ASCII, HTML-escaped."""
    told = json.dumps(json.loads(compact), indent=4, ensure_ascii=True)
    return len(told) + 5 * sum(told.count(character) for character in _ESCAPED_IN_TEMPLATES)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
