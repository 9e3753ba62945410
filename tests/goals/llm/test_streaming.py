"""Streamed completions over real HTTP."""

import pytest

from goals.llm import prompts
from goals.llm.errors import ModelRefused, ModelTimeout, ModelUnavailable
from goals.llm.exchange import Completion
from goals.llm.port import Request, stream

STATUS = {
    "type": "function",
    "function": {"name": "goal_status", "description": "How goals stand", "parameters": {"type": "object"}},
}


def chatting(**given):
    messages = prompts.render("chat_reply", message="hello", recent_messages="", goal=None)
    return Request(**{"role": "worker", "messages": messages, "timeout": 5} | given)


def test_the_pieces_make_the_text_and_the_completion_ends_the_stream(endpoint):
    endpoint.script["chat_reply"] = {"text": "Good morning, " * 20}
    *pieces, completion = stream(chatting(key="effect-9"))
    assert len(pieces) > 5
    assert "".join(pieces) == completion.text == "Good morning, " * 20
    assert isinstance(completion, Completion)
    assert completion.usage_reported
    assert completion.output_tokens > 0
    assert endpoint.requests[0]["key"] == "effect-9"


def test_tool_calls_are_gathered_from_the_stream(endpoint):
    endpoint.script["chat_reply"] = {"tool_calls": [{"name": "goal_status", "arguments": {"goal": "1"}}]}
    (completion,) = stream(chatting(tools=[STATUS]))
    assert completion.tool_calls[0].name == "goal_status"
    assert completion.tool_calls[0].arguments == '{"goal": "1"}'
    assert completion.finish_reason == "tool_calls"


def test_a_stream_that_is_cut_is_told_after_the_pieces_that_came(endpoint):
    endpoint.script["chat_reply"] = {"text": "Good morning, " * 20, "cut": "stream"}
    got = []
    with pytest.raises(ModelUnavailable, match="cut"):
        got.extend(stream(chatting()))
    assert got
    assert not any(isinstance(piece, Completion) for piece in got)
    assert len(endpoint.requests) == 1


def test_a_stream_that_ends_without_a_reason_is_not_taken_for_whole(endpoint):
    endpoint.script["chat_reply"] = {"text": "half a", "finish_reason": None}
    with pytest.raises(ModelUnavailable, match="ended before"):
        list(stream(chatting()))


def test_a_stream_that_drips_is_stopped_at_the_deadline(endpoint):
    endpoint.script["chat_reply"] = {"text": "slow " * 200, "pause": 0.1}
    with pytest.raises(ModelTimeout):
        list(stream(chatting(timeout=0.5)))


def test_a_busy_endpoint_is_told_before_the_first_piece(endpoint):
    endpoint.script["chat_reply"] = {"status": 503, "headers": {"Retry-After": "30"}}
    with pytest.raises(ModelUnavailable) as caught:
        list(stream(chatting()))
    assert caught.value.retry_after == 30


def test_a_streamed_refusal_is_a_refusal(endpoint):
    endpoint.script["chat_reply"] = {"text": "", "finish_reason": "content_filter"}
    with pytest.raises(ModelRefused):
        list(stream(chatting()))


def test_a_stream_can_be_left_before_its_end(endpoint):
    endpoint.script["chat_reply"] = {"text": "on and on " * 50, "pause": 0.02}
    pieces = stream(chatting())
    next(pieces)
    pieces.close()
    endpoint.script["chat_reply"] = {"text": "next"}
    assert list(stream(chatting()))[-1].text == "next"
