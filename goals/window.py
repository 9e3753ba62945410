"""Keeping the messages of an acting loop within the model's window. Pure: the same history gives the same messages.

The oldest tool results give way first, each to a line that says what was dropped and under which reference all of it
is kept; then the long arguments of old tool calls. The opening and the last turn stay as they are.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Message = Mapping[str, Any]
LONGEST_RESULT = 12_000
LEAST_RESULT = 400
SHARE_OF_RESULTS = 4  # the results of one turn together take at most this part of the room
LONG_ARGUMENTS = 400
LONGEST_LEAD = 200


@dataclass(frozen=True, slots=True)
class Said:
    """One message as it was first said. `kept` is the reference to all of a tool's result; "" where there is none."""

    message: Message
    kept: str = ""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is sent, a message for each that was said, and the places of those whose result was dropped."""

    messages: tuple[Message, ...]
    dropped: tuple[int, ...]


def fit(said: Sequence[Said], room: int, weigh: Callable[[Message], int]) -> Fitted:
    """Drop what must be dropped, and no more, so that the messages together weigh at most `room`, if that can be."""
    messages = [one.message for one in said]
    weights = [weigh(message) for message in messages]
    over = sum(weights) - room
    dropped = []
    for place, shorter, is_result in _shorter(said):
        if over <= 0:
            break
        saved = weights[place] - weigh(shorter)
        if saved > 0:
            messages[place] = shorter
            over -= saved
            dropped += [place] if is_result else []
    return Fitted(tuple(messages), tuple(dropped))


def share(room: int, results: int) -> int:
    """Return how many bytes of one result a reply with so many tool calls may be answered with."""
    return max(LEAST_RESULT, min(LONGEST_RESULT, room // (SHARE_OF_RESULTS * max(results, 1))))


def head(text: str, size: int) -> str:
    """Return the beginning of a text: at most `size` bytes of UTF-8, and no half character."""
    return text.encode("utf-8", "surrogatepass")[:size].decode("utf-8", "ignore")


def _shorter(said: Sequence[Said]) -> Iterator[tuple[int, Message, bool]]:
    """Yield what may give way, in order, with what takes its place, and whether it is a tool's result."""
    turns = [place for place, one in enumerate(said) if one.message["role"] == "assistant"]
    last_turn = turns[-1] if turns else 0
    for place, one in enumerate(said[:last_turn]):
        if one.kept:
            yield place, {**one.message, "content": _dropped(one)}, True
    for place, one in enumerate(said[:last_turn]):
        if one.message.get("tool_calls"):
            calls = [_without_arguments(call) for call in one.message["tool_calls"]]
            yield place, {**one.message, "tool_calls": calls}, False


def _dropped(one: Said) -> str:
    content = one.message["content"]
    lead = content.split("\n", 1)[0][:LONGEST_LEAD]
    return f"{lead}\n[dropped to save room: {len(content)} characters; all of it is kept as {one.kept}]"


def _without_arguments(call: Message) -> Message:
    arguments = call["function"]["arguments"]
    if len(arguments) <= LONG_ARGUMENTS:
        return call
    told = json.dumps({"dropped": f"{len(arguments)} characters of arguments, to save room; the call was made"})
    return {**call, "function": {**call["function"], "arguments": told}}
