"""The window: never above it when that can be avoided, nothing dropped in silence, always the same messages."""

import json

from hypothesis import given
from hypothesis import strategies as st

from goals.window import LEAST_RESULT, LONGEST_RESULT, Said, fit, head, share

texts = st.text(max_size=600) | st.integers(0, 20_000).map("x".__mul__)


def weigh(message):
    return len(json.dumps(message))


def weights(messages):
    return sum(weigh(message) for message in messages)


@st.composite
def turns(draw):
    """One reply and what answered it: tool results, errors, or a word about a reply that could not be read."""
    results = draw(st.lists(texts, max_size=3))
    number = draw(st.integers(0, 10**6))
    if not results:
        return [Said({"role": "assistant", "content": draw(texts)}), Said({"role": "user", "content": "again"})]
    calls = [
        {
            "id": f"call_{n}",
            "type": "function",
            "function": {"name": "read", "arguments": json.dumps({"a": draw(texts)})},
        }
        for n in range(len(results))
    ]
    reply = Said({"role": "assistant", "content": None, "tool_calls": calls})
    kept = [draw(st.sampled_from(["", f"@part{number}_{n}:1"])) for n in range(len(results))]
    answers = [
        Said({"role": "tool", "tool_call_id": f"call_{n}", "content": text}, kept[n]) for n, text in enumerate(results)
    ]
    return [reply, *answers]


@st.composite
def histories(draw):
    opening = [Said({"role": "system", "content": "you act"}), Said({"role": "user", "content": draw(texts)})]
    return [*opening, *(said for turn in draw(st.lists(turns(), max_size=6)) for said in turn)]


rooms = st.integers(0, 60_000)


def last_turn_of(history):
    return max((n for n, said in enumerate(history) if said.message["role"] == "assistant"), default=0)


@given(histories(), rooms)
def test_it_is_above_the_room_only_where_all_that_could_give_way_has(history, room):
    found = fit(history, room, weigh)
    if weights(found.messages) > room:
        assert found == fit(history, 0, weigh)


@given(histories())
def test_what_fits_is_left_alone(history):
    whole = tuple(said.message for said in history)
    assert fit(history, weights(whole), weigh).messages == whole


@given(histories(), rooms)
def test_opening_and_last_turn_stay_and_every_call_keeps_its_answer(history, room):
    found, last = fit(history, room, weigh).messages, last_turn_of(history)
    said = [one.message for one in history]
    assert list(found[:2]) == said[:2]
    assert list(found[last:]) == said[last:]
    assert [(m["role"], m.get("tool_call_id")) for m in found] == [(m["role"], m.get("tool_call_id")) for m in said]
    for message in found:
        for call in message.get("tool_calls", ()):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)


@given(histories(), rooms)
def test_everything_that_was_dropped_is_named_with_its_size_and_its_reference(history, room):
    found = fit(history, room, weigh)
    for place, (said, sent) in enumerate(zip(history, found.messages, strict=True)):
        changed = sent != said.message
        if said.message["role"] == "tool":
            assert changed == (place in found.dropped)
        if place in found.dropped:
            assert said.kept
            assert said.kept in sent["content"]
            assert f"{len(said.message['content'])} characters" in sent["content"]
        elif changed:
            assert said.message["role"] == "assistant"
            assert "characters of arguments" in json.dumps(sent)


@given(histories(), rooms)
def test_the_oldest_results_go_first_and_no_more_than_needed(history, room):
    found = fit(history, room, weigh)
    assert list(found.dropped) == sorted(found.dropped)
    results = [n for n, s in enumerate(history[: last_turn_of(history)]) if s.kept]
    if found.dropped:
        last = found.dropped[-1]
        can_go = fit(history, 0, weigh).dropped
        assert [n for n in results if n <= last and n in can_go] == list(found.dropped)
        one_less = [
            said.message if n == last or said.message["role"] == "assistant" else sent
            for n, (said, sent) in enumerate(zip(history, found.messages, strict=True))
        ]
        assert weights(one_less) > room


@given(histories(), rooms)
def test_the_same_history_gives_the_same_messages(history, room):
    assert fit(history, room, weigh) == fit(list(history), room, weigh)


@given(st.integers(-1000, 2_000_000), st.integers(0, 50))
def test_results_of_one_turn_share_a_quarter_of_the_room(room, results):
    one = share(room, results)
    assert LEAST_RESULT <= one <= LONGEST_RESULT
    assert one == LEAST_RESULT or one * max(results, 1) <= room / 4


@given(st.text(max_size=300), st.integers(0, 400))
def test_a_head_is_the_beginning_and_no_longer_than_allowed(text, size):
    found = head(text, size)
    assert text.startswith(found)
    assert len(found.encode()) <= size
    assert len(found.encode()) > size - 4 or found == text
