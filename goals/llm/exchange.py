"""The two sides of a model call: what is asked and what came back. Both are plain values, safe to journal."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from goals.llm.parsing import parse
from goals.llm.shapes import Shape


@dataclass(frozen=True)
class Request:
    """One call. `reply` names the prompt whose typed reply is wanted, None is free text.

    `timeout` bounds the whole call in seconds. `key` is the effect's idempotency key: it travels as a header, so
    that an endpoint or a receiver can tell a repeat from a new call. None takes the setting.
    """

    role: str
    messages: Sequence[Mapping[str, Any]]
    reply: str | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    max_output_tokens: int | None = None
    timeout: float | None = None
    model: str | None = None
    key: str = ""


@dataclass(frozen=True)
class ToolCallRequest:
    """A tool call that the model asks for; `arguments` is JSON text as it wrote it, not checked."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Completion:
    """What came back. With a typed reply exactly one of `value`, `problem` and `tool_calls` is there.

    Tokens are the endpoint's own numbers; where it gives none, the upper bound (`usage_reported` is False).
    """

    text: str
    value: Shape | None
    problem: str | None
    tool_calls: tuple[ToolCallRequest, ...]
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    model: str
    finish_reason: str
    seconds: float
    usage_reported: bool = True

    def as_record(self) -> dict[str, Any]:
        """JSON for the journal; `from_record` with the same reply name gives an equal value back."""
        return {
            "text": self.text,
            "tool_calls": [asdict(call) for call in self.tool_calls],
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cached_tokens": self.cached_tokens,
            "model": self.model,
            "finish_reason": self.finish_reason,
            "seconds": self.seconds,
            "usage_reported": self.usage_reported,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any], reply: str | None) -> "Completion":
        """The completion as it was when it was recorded: typed again, not paid again."""
        calls = tuple(ToolCallRequest(**call) for call in record["tool_calls"])
        value, problem = typed(reply, record["text"], calls, record["finish_reason"])
        return cls(**{**record, "tool_calls": calls}, value=value, problem=problem)


def typed(
    reply: str | None, text: str, calls: tuple[ToolCallRequest, ...], finish_reason: str
) -> tuple[Shape | None, str | None]:
    """The typed value or the problem; neither when tools are called or free text was asked for."""
    return (None, None) if reply is None or calls else parse(reply, text, finish_reason)


def assistant_message(completion: Completion) -> dict[str, Any]:
    """The completion as the message that goes back into the conversation, tool calls included."""
    message: dict[str, Any] = {"role": "assistant", "content": completion.text or None}
    if completion.tool_calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in completion.tool_calls
        ]
    return message


def tool_message(call: ToolCallRequest, content: str) -> dict[str, str]:
    """A tool's result as the message that answers its call."""
    return {"role": "tool", "tool_call_id": call.id, "content": content}
