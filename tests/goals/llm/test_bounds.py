"""The upper bound is one: no byte-level tokenizer makes more tokens of what a server puts together."""

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from goals.llm.bounds import upper_bound
from goals.llm.schemas import response_format

CALL = st.fixed_dictionaries(
    {
        "id": st.text(max_size=10),
        "type": st.just("function"),
        "function": st.fixed_dictionaries({"name": st.text(max_size=20), "arguments": st.text(max_size=60)}),
    }
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant", "tool"]), "content": st.text() | st.none()},
        optional={"tool_calls": st.lists(CALL, min_size=1, max_size=3), "tool_call_id": st.text(max_size=10)},
    ),
    min_size=1,
    max_size=6,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=15),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=10), below, max_size=3),
    max_leaves=12,
)
TOOLS = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.just("function"),
            "function": st.fixed_dictionaries(
                {"name": st.text(max_size=20), "description": st.text(max_size=60), "parameters": JSON}
            ),
        }
    ),
    max_size=4,
)


def html_json(value):
    told = json.dumps(value, indent=4, ensure_ascii=True)
    for character in "<>&'":
        told = told.replace(character, f"\\u{ord(character):04x}")
    return told


def as_a_server_writes_it(messages, tools, reply):
    """A chat template at its most lavish; returns (special tokens, texts)."""
    special, texts = 3, ["You are a helpful assistant. Cutting knowledge date: December 2023. Today: 26 July 2024."]
    if tools:
        texts.append("# Tools\nYou may call one or more functions. Return JSON within <tool_call></tool_call>.\n")
        texts += [html_json(tool) + "\n" for tool in tools]
        special += 2 * len(tools)
    if reply:
        texts.append("# Response Formats\n" + html_json(response_format(reply)))
    for message in messages:
        special += 4
        texts.append(message["role"] + "\n" + (message["content"] or "") + "\n")
        rest = {key: message[key] for key in message.keys() - {"role", "content"}}
        texts += [html_json(rest)] if rest else []
    return special, texts


def worst_tokenizer(texts):
    """The most tokens that a byte-level tokenizer can make: one for each byte."""
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


@given(MESSAGES, TOOLS, st.sampled_from([None, "act", "plan_checkpoints", "judge_outcome"]))
def test_one_token_a_byte_and_every_special_token_stay_within_the_bound(messages, tools, reply):
    special, texts = as_a_server_writes_it(messages, tools, reply)
    bound_in, bound_out = upper_bound(messages, tools, 77, reply)
    assert special + worst_tokenizer(texts) <= bound_in
    assert bound_out == 77


@given(st.text(), st.data())
def test_no_way_of_cutting_a_text_into_tokens_makes_more_tokens_than_bytes(text, data):
    raw = text.encode("utf-8", "surrogatepass")
    cuts = data.draw(st.sets(st.integers(min_value=1, max_value=max(1, len(raw) - 1))))
    edges = [0, *sorted(cut for cut in cuts if cut < len(raw)), len(raw)]
    tokens = [raw[start:end] for start, end in pairwise(edges) if start < end]
    assert b"".join(tokens) == raw
    assert len(tokens) <= upper_bound([{"role": "user", "content": text}], (), 1)[0]


@given(MESSAGES, st.text(min_size=1))
def test_more_text_never_lowers_the_bound(messages, text):
    longer = [*messages, {"role": "user", "content": text}]
    assert upper_bound(longer, (), 1)[0] > upper_bound(messages, (), 1)[0]


def test_a_reply_form_in_words_is_part_of_the_bound():
    messages = [{"role": "user", "content": "hi"}]
    assert upper_bound(messages, (), 1, "act", mode="prompt")[0] > upper_bound(messages, (), 1)[0] + 800


def test_a_tool_full_of_characters_that_templates_escape_stays_within_the_bound():
    tool = {"type": "function", "function": {"name": "t", "description": "<>&'ü😀" * 2_000, "parameters": {}}}
    special, texts = as_a_server_writes_it([], [tool], None)
    assert special + worst_tokenizer(texts) <= upper_bound([], [tool], 1)[0]
